/** The request for a preview from the API's thread to the gateway's (device-previews.ts), and the response. Plain values. */

import type { Actor } from '../accounts/caller.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { ApiKeyScheme } from '../store/entities.ts';
import type { RefusalReason } from './access-decision.ts';
import type { Principal } from './device-grant.ts';

export interface PreviewRequest {
  readonly orgUuid: Ruuid;
  readonly cameraUuid: Ruuid;
  /** The credential that the grant rests on: the caller's key, or the session of a person. */
  readonly principal: Principal;
  /** The key or the person. */
  readonly actor: Actor & { readonly scheme: ApiKeyScheme | 'person' };
  /** The grant to extend; null: a new one. */
  readonly grantText: string | null;
  readonly address: string;
  readonly userAgent: string | null;
}

export type PreviewResponse =
  | { readonly allowed: true; readonly grantText: string; readonly endsAtEpochMs: number }
  | {
      readonly allowed: false;
      readonly reason: RefusalReason | 'too-many-opens';
      /** `too-many-opens`: when the next one is considered. */
      readonly retryAfterMs: number | null;
    };
