/** Who acts: an API key, or an application or a page with the rights of one. */

import type { Ruuid } from '../core/ruuid.ts';
import type { ApiKey, ApiKeyScheme } from '../store/entities.ts';
import type { OAuthGrant } from '../store/oauth.ts';

export interface Caller {
  /** The key that was presented, that granted the access token or that made the session. */
  readonly key: ApiKey;
  /** What the caller may act as: the key's scheme, unless its grant is for one client organisation only. */
  readonly scheme: ApiKeyScheme;
  /** The organisation whose data the caller reads and changes. */
  readonly orgUuid: Ruuid;
  /** Set when the caller is an application with an access token. */
  readonly grant: OAuthGrant | null;
  /** Set when the caller is a page that may look at this one device and at nothing else. */
  readonly onlyDevice: Ruuid | null;
}
