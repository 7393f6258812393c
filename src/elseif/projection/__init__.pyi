from elseif.projection.path import PathScores as PathScores, ProjectionPath as ProjectionPath
