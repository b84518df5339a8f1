/** Saved credentials in responses. */

import type { Static } from 'typebox';
import { deriveRuuid } from '../../core/ruuid.ts';
import type { RtspCredentialBody } from '../../devices/rtsp-endpoint.ts';
import { namedType, nullable, plainText, ruuid } from '../../http/fields/field-types.ts';
import type { Resource } from '../../store/resource.ts';
import { EXAMPLE_ORG_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

export const THIRD_PARTY_CAMERA_PASSWORD_SCHEMA = namedType('ThirdPartyCameraPassword', {
  uuid: ruuid('The saved credential.'),
  orgUuid: ruuid('The organization.'),
  username: plainText('User name.'),
  password: nullable(plainText('Always absent: passwords are never returned.')),
  notes: plainText('What it is for.'),
});

export function thirdPartyCameraPasswordAnswer(
  credential: Resource<RtspCredentialBody>,
): Static<typeof THIRD_PARTY_CAMERA_PASSWORD_SCHEMA> {
  const { username, notes } = credential.body;
  return { uuid: credential.uuid, orgUuid: credential.orgUuid, username, password: null, notes };
}

export const EXAMPLE_CREDENTIAL: Resource<RtspCredentialBody> = {
  uuid: deriveRuuid('example', 'saved credential'),
  orgUuid: EXAMPLE_ORG_UUID,
  name: '',
  parentUuid: null,
  body: { username: 'viewer', notes: 'Cameras of the east wing' },
  secret: null,
  createdAtMs: EXAMPLE_TIME_MS,
  updatedAtMs: EXAMPLE_TIME_MS,
};
