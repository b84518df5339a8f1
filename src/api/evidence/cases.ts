/** Cases: what belongs together as evidence, held and sealed as one archive. Specific to Sluice. */

import { type Static, Type } from 'typebox';
import type { CaseItem } from '../../cases/case-records.ts';
import { MAX_CASE_NOTES_CHARS, MAX_CASE_TITLE_CHARS, type ShownCase } from '../../cases/cases.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  flag,
  int32,
  int64,
  listOf,
  MAX_PASSWORD_LENGTH,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import {
  EXAMPLE_CAMERA_UUID,
  EXAMPLE_CLIP_UUID,
  EXAMPLE_SHARE_UUID,
  EXAMPLE_TIME_MS,
} from '../types/examples.ts';
import { expectMayUnmask } from '../types/share-fields.ts';
import { UNMASKED_FIELD } from '../types/shared-group-fields.ts';
import { THING_FIELDS, thingOf } from './holds.ts';

const HOUR_MS = 3_600_000;
const MAX_NUMBER_CHARS = 64;
const MAX_NOTE_CHARS = 1_024;

const ITEM_SCHEMA = namedType('EvidenceCaseItem', {
  uuid: ruuid('The item.'),
  cameraUuid: nullable(ruuid('The camera; null: a clip.')),
  fromMs: nullable(int64('Start of the time, epoch milliseconds; null: a clip.')),
  toMs: nullable(int64('Its end, exclusive.')),
  clipUuid: nullable(ruuid('The clip; null: a time of a camera.')),
  cameraUuids: listOf(ruuid('A camera.'), 'The camera, or those of the clip.'),
  note: plainText('What someone wrote about it.'),
  addedBy: plainText('The name of the person or the key.'),
  addedAtMs: int64('Epoch milliseconds.'),
});

const CASE_SCHEMA = namedType('EvidenceCase', {
  uuid: ruuid('The case.'),
  title: plainText('Its title.'),
  number: plainText('Its number at the police, a court, or an insurer.'),
  notes: plainText('Notes.'),
  createdBy: plainText('The name of the person or the key.'),
  createdAtMs: int64('Epoch milliseconds.'),
  state: oneOf(
    ['open', 'sealing', 'sealed', 'failed'],
    '`sealing`: its archive is being hashed and signed; `failed`: that ended with an error.',
  ),
  failureCode: nullable(plainText('Why it could not be sealed: a code.')),
  sealedBy: nullable(plainText('Who sealed it.')),
  sealedAtMs: nullable(int64('When, epoch milliseconds.')),
  fingerprint: nullable(
    plainText(
      'SHA-256 of the certificate that its seal is signed with, hexadecimal, for recipients to compare.',
    ),
  ),
  items: listOf(ITEM_SCHEMA, 'What belongs to it. All of it is held.'),
  hiddenItems: int32('Items of cameras outside of the caller’s rights.'),
});

type CaseResponse = Static<typeof CASE_SCHEMA>;

function itemResponse(item: CaseItem): Static<typeof ITEM_SCHEMA> {
  const { startMs: fromMs, endMs: toMs, cameraUuids, holdUuid: _hold, ...fields } = item;
  return { ...fields, fromMs, toMs, cameraUuids: [...cameraUuids] };
}

function caseResponse({ record, items, hiddenItems }: ShownCase): CaseResponse {
  const { uuid, name: title, body, createdAtMs } = record;
  const { items: _items, createdByUuid: _uuid, fingerprint = null, ...fields } = body;
  return { uuid, title, createdAtMs, ...fields, fingerprint, items: items.map(itemResponse), hiddenItems };
}

const EXAMPLE_ITEM = {
  uuid: EXAMPLE_CLIP_UUID,
  cameraUuid: EXAMPLE_CAMERA_UUID,
  fromMs: EXAMPLE_TIME_MS,
  toMs: EXAMPLE_TIME_MS + HOUR_MS,
  clipUuid: null,
  cameraUuids: [EXAMPLE_CAMERA_UUID],
  note: 'Enters from the left.',
  addedBy: 'Ada',
  addedAtMs: EXAMPLE_TIME_MS + HOUR_MS,
};

const EXAMPLE_CASE: CaseResponse = {
  uuid: EXAMPLE_SHARE_UUID,
  title: 'Theft at the loading dock',
  number: '2026/17',
  notes: '',
  createdBy: 'Ada',
  createdAtMs: EXAMPLE_TIME_MS,
  state: 'open',
  failureCode: null,
  sealedBy: null,
  sealedAtMs: null,
  fingerprint: null,
  items: [EXAMPLE_ITEM],
  hiddenItems: 0,
};

const CASE = { caseUuid: ruuid('The case.') };
const NAMED_CASE = { caseUuid: EXAMPLE_CASE.uuid };
const TITLE = text('Its title.', MAX_CASE_TITLE_CHARS);
const OTHER_FIELDS = {
  number: Type.Optional(text('Its number at the police, a court, or an insurer.', MAX_NUMBER_CHARS)),
  notes: Type.Optional(text('Notes.', MAX_CASE_NOTES_CHARS)),
};

const createCase = defineEndpoint({
  path: '/api/evidence/createCase',
  summary: 'Opens a case.',
  description: 'Add times of cameras and clips with `addToCase`.',
  isExtension: true,
  repetition: 'once',
  request: Type.Object({ title: TITLE, ...OTHER_FIELDS }),
  response: { case: CASE_SCHEMA },
  example: {
    request: { title: EXAMPLE_CASE.title, number: EXAMPLE_CASE.number },
    response: { case: { ...EXAMPLE_CASE, items: [] } },
  },
  async handler({ orgUuid, caller, services: { evidence } }, { title, number, notes }) {
    const fields = { title, number: number ?? '', notes: notes ?? '' };
    const record = await evidence.cases.create(orgUuid, fields, caller.actor.name);
    return { case: caseResponse({ record, items: [], hiddenItems: 0 }) };
  },
});

const findCases = defineEndpoint({
  path: '/api/evidence/findCases',
  summary: 'Lists the cases, the newest first.',
  description:
    'A caller with limited rights sees cases with at least one item of their cameras, and empty cases of their own.',
  isExtension: true,
  request: Type.Object({}),
  response: { cases: listOf(CASE_SCHEMA, 'The cases.') },
  example: { request: {}, response: { cases: [EXAMPLE_CASE] } },
  async handler({ orgUuid, services: { evidence } }) {
    return { cases: (await evidence.cases.list(orgUuid)).map(caseResponse) };
  },
});

const getCase = defineEndpoint({
  path: '/api/evidence/getCase',
  summary: 'Returns a case.',
  description: 'Items of cameras outside of the caller’s rights are counted only.',
  isExtension: true,
  request: Type.Object(CASE),
  response: { case: CASE_SCHEMA },
  example: { request: NAMED_CASE, response: { case: EXAMPLE_CASE } },
  async handler({ orgUuid, services: { evidence } }, { caseUuid }) {
    return { case: caseResponse(await evidence.cases.find(orgUuid, caseUuid)) };
  },
});

const updateCase = defineEndpoint({
  path: '/api/evidence/updateCase',
  summary: 'Changes the title, number, or notes of a case that is not sealed.',
  description: 'Fields that are absent stay as they are.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({ ...CASE, title: Type.Optional(TITLE), ...OTHER_FIELDS }),
  response: { case: CASE_SCHEMA },
  example: { request: { ...NAMED_CASE, notes: EXAMPLE_CASE.notes }, response: { case: EXAMPLE_CASE } },
  async handler({ orgUuid, services: { evidence } }, { caseUuid, title, number, notes }) {
    await evidence.cases.find(orgUuid, caseUuid);
    await evidence.cases.update(orgUuid, caseUuid, {
      ...(title == null ? {} : { title }),
      ...(number == null ? {} : { number: number.trim() }),
      ...(notes == null ? {} : { notes }),
    });
    return { case: caseResponse(await evidence.cases.find(orgUuid, caseUuid)) };
  },
});

const addToCase = defineEndpoint({
  path: '/api/evidence/addToCase',
  summary: 'Adds a time of a camera, or a clip, to a case.',
  description: 'It is held from now on. The same time or clip is added once. A time is at most 24 hours.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({
    ...CASE,
    ...THING_FIELDS,
    note: Type.Optional(text('A note about it.', MAX_NOTE_CHARS)),
  }),
  response: { item: ITEM_SCHEMA },
  example: {
    request: {
      ...NAMED_CASE,
      cameraUuid: EXAMPLE_CAMERA_UUID,
      fromMs: EXAMPLE_TIME_MS,
      toMs: EXAMPLE_TIME_MS + HOUR_MS,
      note: EXAMPLE_ITEM.note,
    },
    response: { item: EXAMPLE_ITEM },
  },
  async handler({ orgUuid, caller, services }, { caseUuid, note, ...named }) {
    const thing = thingOf(named);
    const { uuid: reader, name: by } = caller.actor;
    if ('cameraUuid' in thing) await services.devices.findCamera(orgUuid, thing.cameraUuid);
    const added = await services.evidence.cases.add(orgUuid, caseUuid, {
      thing,
      note: note ?? '',
      by,
      reader,
    });
    return { item: itemResponse(added) };
  },
});

const removeFromCase = defineEndpoint({
  path: '/api/evidence/removeFromCase',
  summary: 'Removes an item from a case that is not sealed, and releases its hold.',
  description: 'If there is no such item, nothing happens.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({ ...CASE, itemUuid: ruuid('The item.') }),
  response: {},
  example: { request: { ...NAMED_CASE, itemUuid: EXAMPLE_ITEM.uuid }, response: {} },
  async handler({ orgUuid, services: { evidence } }, { caseUuid, itemUuid }) {
    await evidence.cases.removeItem(orgUuid, caseUuid, itemUuid);
    return {};
  },
});

const sealCase = defineEndpoint({
  path: '/api/evidence/sealCase',
  summary: 'Seals a case: hashes and signs all files of its archive.',
  description:
    'It takes as long as reading all of its recordings; `getCase` says when it is done. A sealed case cannot be changed until someone ' +
    'reopens it. Callers who may not see all of its items cannot seal it.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object(CASE),
  response: { case: CASE_SCHEMA },
  example: {
    request: NAMED_CASE,
    response: { case: { ...EXAMPLE_CASE, state: 'sealing', sealedBy: 'Ada' } },
  },
  async handler({ orgUuid, caller, services: { evidence } }, { caseUuid }) {
    await evidence.sealer.seal(orgUuid, caseUuid, caller.actor.name);
    return { case: caseResponse(await evidence.cases.find(orgUuid, caseUuid)) };
  },
});

const reopenCase = defineEndpoint({
  path: '/api/evidence/reopenCase',
  summary: 'Makes a sealed case changeable again.',
  description: 'Its archive is removed, and its links end. Copies that were saved stay valid.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object(CASE),
  response: { case: CASE_SCHEMA },
  example: { request: NAMED_CASE, response: { case: EXAMPLE_CASE } },
  async handler({ orgUuid, services: { evidence } }, { caseUuid }) {
    await evidence.cases.reopen(orgUuid, caseUuid);
    return { case: caseResponse(await evidence.cases.find(orgUuid, caseUuid)) };
  },
});

const deleteCase = defineEndpoint({
  path: '/api/evidence/deleteCase',
  summary: 'Deletes a case with its archive.',
  description: 'Its links end. Its holds are released, so retention can delete its recordings.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object(CASE),
  response: {},
  example: { request: NAMED_CASE, response: {} },
  async handler({ orgUuid, services: { evidence } }, { caseUuid }) {
    await evidence.cases.remove(orgUuid, caseUuid);
    return {};
  },
});

const createCaseLink = defineEndpoint({
  path: '/api/evidence/createCaseLink',
  summary: 'Creates a link from which anyone who has it can save the archive of a case.',
  description:
    'It is one of the shared groups of clips: `/api/event/updateSharedClipGroupV2` changes its password and its end, and ' +
    '`/api/event/deleteSharedClipGroupV2` revokes it. Callers who may not see all items of the case cannot share it. The link works ' +
    'while the case is sealed, and ends when the case is reopened or deleted.',
  isExtension: true,
  repetition: 'once',
  request: Type.Object({
    ...CASE,
    plaintextPassword: Type.Optional(text('A password; absent: none.', MAX_PASSWORD_LENGTH)),
    expirationTimeSecs: Type.Optional(
      int64('Below 10^9: seconds from now; otherwise an epoch second. Absent: it does not end.', 0),
    ),
    ...UNMASKED_FIELD,
  }),
  response: {
    sharedClipGroupUuid: ruuid('The link.'),
    shareUrl: plainText('The page of the link.'),
    downloadUrl: plainText('From where the archive can be saved, if there is no password.'),
  },
  example: {
    request: { ...NAMED_CASE, expirationTimeSecs: 86_400 },
    response: {
      sharedClipGroupUuid: EXAMPLE_SHARE_UUID,
      shareUrl: 'https://media.example/clips/token',
      downloadUrl: 'https://media.example/clips/token/download',
    },
  },
  async handler(context, { caseUuid, plaintextPassword, expirationTimeSecs, showsUnmasked = false }) {
    const { orgUuid, services } = context;
    const { evidence } = services;
    expectMayUnmask(context, showsUnmasked);
    const group = await evidence.links.create(orgUuid, caseUuid, {
      showsUnmasked,
      password: plaintextPassword ?? null,
      expirationTimeSecs: expirationTimeSecs ?? null,
    });
    const shareUrl = evidence.links.pageUrl(group);
    return { sharedClipGroupUuid: group.uuid, shareUrl, downloadUrl: `${shareUrl}/download` };
  },
});

const LINK_SCHEMA = namedType('EvidenceCaseLink', {
  sharedClipGroupUuid: ruuid('The link, as one of the shared groups of clips.'),
  shareUrl: plainText('The page of the link.'),
  createdAtMs: int64('Epoch milliseconds.'),
  expirationTimeSecs: nullable(int64('The first epoch second at which it is over; null: it does not end.')),
  isSecured: flag('Whether recipients must enter a password.'),
});

const findCaseLinks = defineEndpoint({
  path: '/api/evidence/findCaseLinks',
  summary: 'Lists the links to the archive of a case, the oldest first.',
  description: 'With those that are over. Callers who may not see all items of the case cannot list them.',
  isExtension: true,
  request: Type.Object(CASE),
  response: { links: listOf(LINK_SCHEMA, 'The links.') },
  example: {
    request: NAMED_CASE,
    response: {
      links: [
        {
          sharedClipGroupUuid: EXAMPLE_SHARE_UUID,
          shareUrl: 'https://media.example/clips/token',
          createdAtMs: EXAMPLE_TIME_MS,
          expirationTimeSecs: EXAMPLE_TIME_MS / 1_000 + 86_400,
          isSecured: true,
        },
      ],
    },
  },
  async handler({ orgUuid, services: { evidence } }, { caseUuid }) {
    const links = await evidence.links.list(orgUuid, caseUuid);
    return {
      links: links.map((group) => ({
        sharedClipGroupUuid: group.uuid,
        shareUrl: evidence.links.pageUrl(group),
        createdAtMs: group.createdAtMs,
        expirationTimeSecs: group.body.expiresAtSec,
        isSecured: group.body.passwordHash !== null,
      })),
    };
  },
});

const createCaseDownload = defineEndpoint({
  path: '/api/evidence/createCaseDownload',
  summary: 'Returns an address from which the archive of a sealed case can be saved for an hour.',
  description:
    'Anyone who has the address can save it as long as it works. `findCaseLinks` does not list it.',
  isExtension: true,
  repetition: 'once',
  request: Type.Object(CASE),
  response: {
    downloadUrl: plainText('The address.'),
    expirationTimeSecs: int64('When it ends, in epoch seconds.'),
  },
  example: {
    request: NAMED_CASE,
    response: {
      downloadUrl: 'https://media.example/clips/token/download',
      expirationTimeSecs: EXAMPLE_TIME_MS / 1_000 + 3_600,
    },
  },
  async handler({ orgUuid, services: { evidence } }, { caseUuid }) {
    const group = await evidence.links.createDownload(orgUuid, caseUuid);
    return {
      downloadUrl: `${evidence.links.pageUrl(group)}/download`,
      expirationTimeSecs: group.body.expiresAtSec!,
    };
  },
});

export const CASE_ENDPOINTS: readonly Endpoint[] = [
  createCase,
  findCases,
  getCase,
  updateCase,
  addToCase,
  removeFromCase,
  sealCase,
  createCaseLink,
  findCaseLinks,
  createCaseDownload,
  reopenCase,
  deleteCase,
];
