/** The organisations of a gateway that was not told of any: one, and the partner that may act for it. */

import { deriveRuuid, type Ruuid } from '../../core/ruuid.ts';

export const DEFAULT_ORG_UUID: Ruuid = deriveRuuid('organisation', 'default');
export const DEFAULT_PARTNER_ORG_UUID: Ruuid = deriveRuuid('organisation', 'partner');
