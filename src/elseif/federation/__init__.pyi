from elseif.federation.federating import (
    Federated as Federated,
    federate as federate,
)
from elseif.federation.federation_report import (
    federation_page as federation_page,
)
from elseif.federation.plan import (
    Plan as Plan,
    PlanColumn as PlanColumn,
    make_plan as make_plan,
)
from elseif.federation.plan_file import (
    read_plan as read_plan,
    save_plan as save_plan,
)
from elseif.federation.site_counts import (
    SiteCounts as SiteCounts,
    count_site as count_site,
)
from elseif.federation.site_file import (
    read_site as read_site,
    save_site as save_site,
)
from elseif.federation.site_lines import (
    LeftOutSite as LeftOutSite,
    SiteLine as SiteLine,
)
