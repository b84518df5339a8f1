/**
 * Lists of kinds of device that the gateway does not have: always empty, under the key where clients look, so that tools
 * that ask for all kinds of device continue.
 */

import { Type } from 'typebox';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import { listOf } from '../../http/fields/field-types.ts';

interface AbsentKind {
  readonly path: `/api/${string}/${string}`;
  /** The field of the list. */
  readonly field: string;
  readonly kind: string;
}

const ABSENT_KINDS: readonly AbsentKind[] = [
  {
    path: '/api/audiogateway/getMinimalAudioGatewayStateList',
    field: 'audioGatewayStates',
    kind: 'audio gateways: audio comes from cameras',
  },
  { path: '/api/badgereader/getMinimalStateList', field: 'minimalStates', kind: 'badge readers' },
  { path: '/api/button/getMinimalButtonStateList', field: 'states', kind: 'wireless buttons' },
  {
    path: '/api/climate/getMinimalClimateStateList',
    field: 'climateStates',
    kind: 'environmental sensors',
  },
  {
    path: '/api/climate/getMinimalEnvironmentalGatewayStates',
    field: 'minimalEnvironmentalGatewayStates',
    kind: 'environmental gateways',
  },
  {
    path: '/api/door/getMinimalDoorStateList',
    field: 'doorStates',
    kind: 'door sensors; `/api/component/findAccessControlledDoors` lists doors',
  },
  { path: '/api/keypad/getKeypadsForOrg', field: 'keypads', kind: 'keypads' },
  {
    path: '/api/occupancy/getMinimalOccupancySensorStateList',
    field: 'occupancySensorStates',
    kind: 'occupancy sensors; cameras report occupancy',
  },
];

export const ABSENT_DEVICE_ENDPOINTS: readonly Endpoint[] = ABSENT_KINDS.map(({ path, field, kind }) => {
  const [name = kind] = kind.split(/[:;]/);
  return defineEndpoint({
    path,
    summary: `Lists ${name}: none.`,
    description: `Always empty: the gateway has no ${kind}.`,
    request: Type.Object({}),
    response: { [field]: listOf(Type.Object({}), 'Always empty.') },
    example: { request: {}, response: { [field]: [] } },
    handler: async () => ({ [field]: [] }),
  });
});
