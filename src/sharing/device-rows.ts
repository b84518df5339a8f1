/** The rows of the device directory, and the rules that read them. */

import type { FederatedSessionBody } from '../accounts/federated-session.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { ApiKey, Camera } from '../store/entities.ts';
import type { ConsoleSession, KnownPerson } from '../store/person.ts';
import type { Resource } from '../store/resource.ts';
import type { WatchedDevice } from './access-decision.ts';

export type CameraRow = Pick<
  Camera,
  'orgUuid' | 'name' | 'mummified' | 'locationUuid' | 'nvrUuid' | 'masks' | 'masksForViewers'
>;
export type KeyRow = Pick<
  ApiKey,
  'orgUuid' | 'name' | 'scheme' | 'role' | 'scope' | 'revokedAtMs' | 'expiresAtMs'
>;
export type PersonRow = KnownPerson;
/** When it ends if no request keeps it going is not followed: a grant ends before. */
export type ConsoleSessionRow = Pick<ConsoleSession, 'orgUuid' | 'personUuid' | 'createdAtMs'>;
export type SessionRow = Pick<Resource<FederatedSessionBody>, 'orgUuid'> & FederatedSessionBody;

/** A device that someone may watch, as it is shown to people. */
export interface KnownDevice extends WatchedDevice {
  readonly name: string;
}

/** The key that a principal is, that created its session, or that granted its access token; or the person. */
export interface PrincipalActor {
  readonly uuid: Ruuid;
  readonly name: string;
  readonly scheme: ApiKey['scheme'] | 'person';
}
