/** Requests that name their organisation in a field, as those of partners do. */

import { GatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { CallContext } from './endpoint.ts';
import { API_ERRORS } from './errors.ts';

/**
 * The organisation that a request is about: the one it acts on, or, for a partner that acts on none in particular, the
 * named client. Fails ORGANISATION_NOT_FOUND for any other.
 */
export async function namedOrganisation(context: CallContext, named: Ruuid | undefined): Promise<Ruuid> {
  const { caller, orgUuid, services } = context;
  if (named === undefined || named === orgUuid) return orgUuid;
  if (caller.scheme === 'partner-api' && orgUuid === caller.key.orgUuid) {
    const client = await services.store.organisations.find(named);
    if (client?.partnerUuid === orgUuid) return named;
  }
  const sentence = 'orgUuid must be the organisation that the request acts on, or a client of the partner.';
  throw new GatewayError(API_ERRORS.ORGANISATION_NOT_FOUND, { sentence });
}
