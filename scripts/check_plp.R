# Rscript check_plp.R PLP_SOURCE FOLDER COVARIATES RISKS: whether PatientLevelPrediction's own
# loadPlpModel and predictPlp give every person the risk in RISKS.  Called by check_plp.py.
arguments <- commandArgs(trailingOnly = TRUE)
suppressMessages(library(dplyr))
for (file in list.files(file.path(arguments[1], "R"), pattern = "[.]R$", full.names = TRUE)) {
  tryCatch(source(file), error = function(e) NULL) # files that need packages which are absent
}
ParallelLogger::clearLoggers()
covariates <- utils::read.csv(arguments[3])
expected <- utils::read.csv(arguments[4])
population <- data.frame(rowId = expected$rowId, subjectId = expected$rowId, outcomeCount = 0)
attr(population, "metaData") <- list(populationSettings = list(riskWindowEnd = 365))
data <- list(covariateData = list(covariates = covariates))

compare <- function(folder, what) {
  model <- loadPlpModel(folder)
  stopifnot(inherits(model, "plpModel"))
  found <- predictPlp(model, data, population)
  found <- found[order(found$rowId), ]
  stopifnot(identical(as.numeric(found$rowId), as.numeric(expected$rowId)))
  n <- sum(found$value == expected$risk)
  cat(sprintf("%s: %d of %d persons have the same risk\n", what, n, nrow(expected)))
  model
}

model <- compare(arguments[2], "loadPlpModel and predictPlp")
again <- file.path(tempdir(), "again")
savePlpModel(model, again)
invisible(compare(again, "after savePlpModel and loading again"))
