/**
 * Limits on responses for a caller, beyond the role that the endpoint needs (docs/design/people.md#roles). Links and
 * addresses outlive a credential. Therefore credentials that end soon or are in the hands of others (federated sessions,
 * and applications) read only what the role that only watches reads, whatever their key may do.
 */

import type { Caller } from '../../accounts/caller.ts';

export interface WithCaller {
  readonly caller: Caller;
}

/** Anyone who has a link can pass it on. */
export function mayShare({ caller }: WithCaller): boolean {
  return readsForItself(caller);
}

/**
 * Where someone watches from, and with what, is about a person; where a device is in the network says how to attack it. Those
 * who only watch learn how many watch, whether a device is online, and no more.
 */
export function maySeeAddresses({ caller }: WithCaller): boolean {
  return readsForItself(caller);
}

/** The path of a webhook is often the secret by which its host knows the caller. */
export function maySeeWebhookPaths({ caller }: WithCaller): boolean {
  return readsForItself(caller);
}

function readsForItself({ principal, role }: Caller): boolean {
  return role !== 'viewer' && (principal.kind === 'key' || principal.kind === 'person');
}
