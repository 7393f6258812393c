# C5.0 with the defaults of its library, as in the paper.

suppressPackageStartupMessages(library(C50))

learn <- function(X, y) {
  C5.0(x = as.data.frame(X), y = factor(y, levels = c(0, 1)))
}

risk <- function(model, X) {
  predict(model, newdata = as.data.frame(X), type = "prob")[, "1"]
}
