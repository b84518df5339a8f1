/** Fields of shared groups of files, whatever they consist of. */

import { Type } from 'typebox';
import {
  flag,
  int32,
  int64,
  MAX_PASSWORD_LENGTH,
  nullable,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import type { SharedGroup } from '../../sharing/shared-group.ts';
import { MAX_GROUP_DESCRIPTION_CHARS, MAX_GROUP_TITLE_CHARS } from '../../sharing/shared-group-service.ts';
import { EXAMPLE_SHARE_UUID } from './examples.ts';
import { NO_SIGN_IN } from './share-fields.ts';

export const GROUP_DESCRIPTION = Type.Optional(
  text('A description, which viewers see.', MAX_GROUP_DESCRIPTION_CHARS),
);

/** Fields of all calls. */
/** Whether a new group shows what privacy masks cover. */
export const UNMASKED_FIELD = {
  showsUnmasked: Type.Optional(
    flag(
      'Whether viewers see what the privacy masks of cameras cover. Default false: files are sent with the masks, and archives with such files are withheld.',
    ),
  ),
};

export const GROUP_FIELDS = {
  title: Type.Optional(text('Its title, which viewers see.', MAX_GROUP_TITLE_CHARS)),
  plaintextPassword: Type.Optional(
    text('The password that viewers must enter; none if blank.', MAX_PASSWORD_LENGTH),
  ),
  ...NO_SIGN_IN,
};

/** The response to a creation or a change. */
export const GROUP_LINK_FIELDS = {
  uuid: ruuid('The group.'),
  shareUrl: plainText('The page for viewers.'),
};

export const EXAMPLE_GROUP_LINK = {
  uuid: EXAMPLE_SHARE_UUID,
  shareUrl: 'https://media.example.com/clips/kTVRm2v3TmKfJ1nU2s0c7Z8qXw4Yb6Ld9Ha5Ee',
};

export const RESPONSE_GROUP_FIELDS = {
  uuid: ruuid('The group.'),
  orgUuid: ruuid('Its organization.'),
  title: plainText('Its title.'),
  description: plainText('Its description.'),
  createdAtMillis: int64('When it was created, in epoch milliseconds.'),
  expirationTimeSecs: nullable(
    int32('The first epoch second at which its link is over; absent: it never is.'),
  ),
  isSecured: flag('Whether viewers must enter a password.'),
};

export function groupResponse({ uuid, orgUuid, name, createdAtMs, body }: SharedGroup) {
  return {
    uuid,
    orgUuid,
    title: name,
    description: body.description,
    createdAtMillis: createdAtMs,
    expirationTimeSecs: body.expiresAtSec,
    isSecured: body.passwordHash !== null,
  };
}
