# Bayesian CART: tgp's bcart with its defaults, as in the paper. It is a regression on 0 and 1.

suppressPackageStartupMessages(library(tgp))

learn <- function(X, y) {
  bcart(X = X, Z = y, pred.n = FALSE, verb = 0)
}

# The chain goes on from the best tree, with the burn-in and the length of bcart's defaults:
# predictions are means over trees, not those of the best tree alone.
risk <- function(model, X) {
  found <- predict(model, XX = X, BTE = c(2000, 7000, 2), MAP = FALSE, pred.n = FALSE)
  pmin(pmax(found$ZZ.km, 0), 1)
}
