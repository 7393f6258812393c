from elseif.antecedents.antecedent import Antecedent as Antecedent
