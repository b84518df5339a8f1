/** What the descriptions of calls about the whole gateway say about their callers. */

export const OPERATORS_ONLY =
  'For administrators. It is about the whole gateway, which all organizations share, so it accepts only admins and keys of the ' +
  'default organization (`api`) and keys of the default partner (`partner-api`), and refuses access tokens of applications.';
