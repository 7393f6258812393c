from elseif.ohdsi.cdm_sql import to_cdm_sql as to_cdm_sql
from elseif.ohdsi.plp_model import save_plp_model as save_plp_model
from elseif.ohdsi.plp_results import save_plp_results as save_plp_results
