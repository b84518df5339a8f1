/**
 * Compiles only where the client generated from our document has every method, in the same group, that the client
 * generated from the specification has.
 */

import { Api as Ours } from './ours.ts';
import { Api as Specified } from './specified.ts';

/** Groups and the names in them, whatever the methods take and answer. */
type Names<Client> = {
  readonly [Group in keyof Client]: { readonly [Method in keyof Client[Group]]: unknown };
};

const ours = new Ours<unknown>();
export const asSpecified: Names<Specified<unknown>> = ours;

const specified = new Specified<unknown>();
/** What was compared. */
export const methods = {
  camera: Object.keys(specified.cameraWebservice),
  count: Object.values(specified)
    .filter((group) => typeof group === 'object' && group !== null)
    .flatMap((group) => Object.keys(group)).length,
};
