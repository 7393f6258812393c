from elseif.editing.draft import Draft as Draft
