# The one road to R: learn from a table in a folder, or give risks for another one.
# Called by through_r.py: Rscript road.R learn|risk FOLDER SCRIPT SEED

arguments <- commandArgs(trailingOnly = TRUE)
action <- arguments[1]
folder <- arguments[2]
source(arguments[3]) # gives learn(X, y) and risk(model, X)
set.seed(as.integer(arguments[4]))

read_table <- function(name) {
  connection <- file(file.path(folder, name), "rb")
  on.exit(close(connection))
  size <- readBin(connection, "integer", 3) # rows, columns, values that are not 0
  row <- readBin(connection, "integer", size[3])
  column <- readBin(connection, "integer", size[3])
  value <- readBin(connection, "double", size[3])
  X <- matrix(0, size[1], size[2])
  X[cbind(row, column)] <- value
  X
}

X <- read_table("table.bin")
if (action == "learn") {
  y <- readBin(file.path(folder, "labels.bin"), "integer", nrow(X))
  saveRDS(learn(X, y), file.path(folder, "model.rds"))
} else {
  model <- readRDS(file.path(folder, "model.rds"))
  writeBin(as.double(risk(model, X)), file.path(folder, "risk.bin"))
}
