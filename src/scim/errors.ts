/** Error codes of provisioning by SCIM. `scim-failure.ts` turns them into statuses and words of RFC 7644 §3.12. */

import { defineErrors } from '../core/errors.ts';

export const SCIM_ERRORS = defineErrors({
  SCIM_FILTER_INVALID: { kind: 'invalid-input', message: 'The filter is malformed or too long.' },
  SCIM_SYNTAX_INVALID: { kind: 'invalid-input', message: 'The request is not what RFC 7644 describes.' },
  SCIM_VALUE_INVALID: { kind: 'invalid-input', message: 'A value is missing or does not fit its attribute.' },
  SCIM_PATH_INVALID: { kind: 'invalid-input', message: 'The path names no attribute of the resource.' },
  SCIM_NO_TARGET: { kind: 'invalid-input', message: 'The path selects no value.' },
  SCIM_READ_ONLY: { kind: 'invalid-input', message: 'The attribute cannot be changed or removed.' },
  SCIM_TAKEN: {
    kind: 'conflict',
    message: 'Someone in the organization already has this name or email address.',
  },
  SCIM_RESOURCE_NOT_FOUND: { kind: 'not-found', message: 'There is no resource with this ID.' },
  SCIM_VERSION_CONFLICT: {
    kind: 'conflict',
    message: 'The resource has changed in the meantime. Read it again.',
  },
  SCIM_TOO_LARGE: { kind: 'limit', message: 'The request has more operations than one request can have.' },
  SCIM_NOT_SUPPORTED: { kind: 'invalid-input', message: 'The gateway does not support this operation.' },
  SCIM_LAST_LOCAL_ADMIN: {
    kind: 'not-allowed',
    message:
      'This is the last administrator who can sign in without the directory. Change this person in the console.',
  },
  SCIM_ADDRESS_OF_ADMIN: {
    kind: 'not-allowed',
    message:
      'This is an administrator whose rights do not come from groups of the directory. Change the email address in the console.',
  },
  SCIM_GROUPS_FULL: { kind: 'limit', message: 'The organization has reached its limit of groups.' },
  SCIM_TOKEN_UNNAMED: { kind: 'invalid-input', message: 'A provisioning token needs a name.' },
  SCIM_TOKEN_NOT_FOUND: { kind: 'not-found', message: 'There is no provisioning token with this UUID.' },
  TOO_MANY_SCIM_TOKENS: {
    kind: 'limit',
    message: 'The organization has reached its limit of provisioning tokens. Revoke one first.',
  },
  SCIM_MAPPING_UNNAMED: { kind: 'invalid-input', message: 'A mapping needs the name or the ID of a group.' },
  SCIM_MAPPING_NOT_FOUND: { kind: 'not-found', message: 'There is no mapping with this UUID.' },
  SCIM_RIGHTS_OF_GROUPS: {
    kind: 'conflict',
    message:
      'Groups of the directory decide what this person may do. Change the groups in the directory, or their rights.',
  },
  TOO_MANY_SCIM_MAPPINGS: {
    kind: 'limit',
    message: 'The organization has reached its limit of mappings of groups.',
  },
});
