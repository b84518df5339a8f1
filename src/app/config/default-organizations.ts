/** The organizations of a gateway whose configuration names none: one, and the partner that can act for it. */

import { deriveRuuid, type Ruuid } from '../../core/ruuid.ts';

export const DEFAULT_ORG_UUID: Ruuid = deriveRuuid('organisation', 'default');
export const DEFAULT_PARTNER_ORG_UUID: Ruuid = deriveRuuid('organisation', 'partner');
