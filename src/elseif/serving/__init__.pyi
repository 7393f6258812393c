from elseif.serving.app import (
    Limits as Limits,
    make_app as make_app,
)
from elseif.serving.fhir_bindings import (
    read_bindings as read_bindings,
)
from elseif.serving.served_model import (
    ServedModel as ServedModel,
    serve_file as serve_file,
)
