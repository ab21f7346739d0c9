/** For the OpenAPI document, where both doors to a search tell the same. */
export const availabilityNotes =
  'Slots by site and day, in the order upstream gives them; no slots is an empty list. An answer is given again for up ' +
  'to a minute, but never past the first expires_at in it. upstream_invalid_request: a site is unknown or inactive, or ' +
  'start_date is past at the site. upstream_unavailable can also mean that scheduling is not enabled for the team.';

export const compendiumNotes =
  'canonical finds entries of the compendium by a query; crosswalk also finds, by a query or a loinc_set_hash, what each ' +
  'lab offers for the best match. An answer is given again for up to ten minutes.';
