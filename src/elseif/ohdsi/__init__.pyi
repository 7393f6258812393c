from elseif.ohdsi.cdm_sql import to_cdm_sql as to_cdm_sql
