/** Shares that the synthetic viewer plays, as they are stored: one record for each, with the share's UUID. */

import { type ResourceKind, resourceKind } from '../store/resource.ts';

export type ServiceProbeBody = Record<string, never>;

export const SERVICE_PROBES: ResourceKind<ServiceProbeBody> = resourceKind('serviceProbe');
