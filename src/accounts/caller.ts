/** The caller: an API key, or an application or a page with the rights of one. */

import type { Ruuid } from '../core/ruuid.ts';
import type { ApiKey, ApiKeyScheme } from '../store/entities.ts';
import type { OAuthGrant } from '../store/oauth.ts';

export interface Caller {
  /** The key that was presented, that granted the access token or that created the session. */
  readonly key: ApiKey;
  /** What the caller can act as: the key's scheme, unless its grant is only for one client organization. */
  readonly scheme: ApiKeyScheme;
  /** The organization whose data the caller reads and changes. */
  readonly orgUuid: Ruuid;
  /** Set if the caller is an application with an access token. */
  readonly grant: OAuthGrant | null;
  /** Set if the caller is a page that can read only this one device. */
  readonly onlyDevice: Ruuid | null;
}
