from elseif.sampler.convergence import Convergence as Convergence
from elseif.sampler.quantity import Quantity as Quantity
