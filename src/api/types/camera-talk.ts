/** Whether the caller may talk to a camera, as integrators of this API family tell their pages. */

import type { Static } from 'typebox';
import { flag, namedType, nullable, oneOf } from '../../http/fields/field-types.ts';
import type { Role } from '../../store/person.ts';

const REASONS = ['not-authorized', 'device-unavailable', 'capability-unavailable'] as const;

export const CAMERA_TALK_SCHEMA = namedType('CameraTalkType', {
  canTalk: flag('Whether the caller can talk now, as far as the gateway knows.'),
  authorized: flag('Whether the role of the caller includes it.'),
  licensed: flag('Always true: nothing has to be bought.'),
  speakerEnabled: flag(
    'Whether the gateway has a way to speakers of such cameras. Whether this one has a speaker is known when someone talks.',
  ),
  connected: flag('Whether the camera is not offline.'),
  interactionMode: oneOf(['hold'], 'How to talk: hold a button.'),
  reason: nullable(oneOf(REASONS, 'Why not; absent if the caller can.')),
});

export interface TalkFacts {
  readonly role: Role;
  /** The gateway reaches the camera over RTSP, and is not a node of a cluster. */
  readonly hasWay: boolean;
  readonly isConnected: boolean;
}

export function cameraTalk({ role, hasWay, isConnected }: TalkFacts): Static<typeof CAMERA_TALK_SCHEMA> {
  const authorized = role !== 'viewer';
  const reason = !authorized
    ? 'not-authorized'
    : !hasWay
      ? 'capability-unavailable'
      : isConnected
        ? null
        : 'device-unavailable';
  return {
    canTalk: reason === null,
    authorized,
    licensed: true,
    speakerEnabled: hasWay,
    connected: isConnected,
    interactionMode: 'hold',
    reason,
  };
}
