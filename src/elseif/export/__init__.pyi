from elseif.export.formats import (
    export_file as export_file,
    export_model as export_model,
)
from elseif.export.model_file import (
    load_model as load_model,
    read_model as read_model,
    save_model as save_model,
)
