/** POST /api/event/getClipGroupsForOrg: the groups of clips by name, as the MCP server of the API family lists them. */

import { Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { int32, listOf, namedType, plainText, ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_SHARE_UUID } from '../types/examples.ts';

export const getClipGroupsForOrg = defineEndpoint({
  path: '/api/event/getClipGroupsForOrg',
  summary: 'Lists the names of the groups of clips.',
  description:
    'The groups are those that are shared by link: there are no others. `getSharedClipGroupsV2` also lists their clips.',
  request: Type.Object({}),
  response: {
    clipGroups: listOf(
      namedType('ClipGroup', {
        uuid: ruuid('The group.'),
        name: plainText('Its title.'),
        clipCount: int32('How many of its clips there are.', 0),
      }),
      'The groups, in the order in which they were created, including expired ones.',
    ),
  },
  example: {
    request: {},
    response: { clipGroups: [{ uuid: EXAMPLE_SHARE_UUID, name: 'Dock, Tuesday', clipCount: 1 }] },
  },
  async handler({ orgUuid, caller, services: { clipGroups } }) {
    const groups = await clipGroups.list(orgUuid, 0, Number.MAX_SAFE_INTEGER, caller.actor.uuid);
    return {
      clipGroups: LongList.of(groups).map(({ group, clips }) => ({
        uuid: group.uuid,
        name: group.name,
        clipCount: clips.length,
      })),
    };
  },
});
