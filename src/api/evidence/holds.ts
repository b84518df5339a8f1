/** Legal holds on times of cameras and on clips, and the proof of recordings. Specific to Sluice. */

import { type Static, Type } from 'typebox';
import { CASE_ERRORS } from '../../cases/errors.ts';
import { type HeldThing, type Hold, MAX_REASON_CHARS } from '../../cases/holds.ts';
import { proveRecording } from '../../cases/recorded-proof.ts';
import { GatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { fingerprintOf } from '../../evidence/certificate.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  deviceUuid,
  flag,
  int32,
  int64,
  listOf,
  namedType,
  nullable,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { CAMERA_SIGNATURE_SCHEMA, cameraSignatureResponse } from '../types/camera-signature.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_SHARE_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

const HOUR_MS = 3_600_000;
const MAX_VALIDATED_MS = HOUR_MS;

const HOLD_SCHEMA = namedType('LegalHold', {
  uuid: ruuid('The hold.'),
  cameraUuid: nullable(ruuid('The camera; null: a clip is held.')),
  fromMs: nullable(int64('Start of the held time, epoch milliseconds; null: a clip is held.')),
  toMs: nullable(int64('Its end, exclusive.')),
  clipUuid: nullable(ruuid('The clip; null: a time of a camera is held.')),
  reason: plainText('Why it is held.'),
  heldBy: plainText('The name of the person or the key.'),
  heldAtMs: int64('Since when, epoch milliseconds.'),
  untilMs: nullable(int64('When it ends; null: when someone releases it.')),
  caseUuid: nullable(ruuid('The case that it belongs to; null: none.')),
});

const CERTIFICATE_SCHEMA = namedType('SigningCertificate', {
  generation: int32('1 for the first; the highest one is in use.'),
  pem: plainText('The X.509 certificate (RFC 7468).'),
  fingerprint: plainText('Its SHA-256 digest, hexadecimal: what recipients of evidence compare.'),
  createdAtMs: int64('Epoch milliseconds.'),
});

type HoldResponse = Static<typeof HOLD_SCHEMA>;

function holdResponse({ uuid, body, createdAtMs }: Hold): HoldResponse {
  const { startMs, endMs, cameraUuid, clipUuid, reason, heldBy, untilMs, caseUuid } = body;
  const time = { cameraUuid, fromMs: startMs, toMs: endMs, clipUuid };
  return { uuid, ...time, reason, heldBy, heldAtMs: createdAtMs, untilMs, caseUuid };
}

const EXAMPLE_HOLD: HoldResponse = {
  uuid: EXAMPLE_SHARE_UUID,
  cameraUuid: EXAMPLE_CAMERA_UUID,
  fromMs: EXAMPLE_TIME_MS,
  toMs: EXAMPLE_TIME_MS + HOUR_MS,
  clipUuid: null,
  reason: 'Theft on January 1',
  heldBy: 'Ada',
  heldAtMs: EXAMPLE_TIME_MS + HOUR_MS,
  untilMs: null,
  caseUuid: null,
};

/** The fields that name what is held. */
export const THING_FIELDS = {
  cameraUuid: Type.Optional(
    deviceUuid('The camera, with `fromMs` and `toMs`; absent: `clipUuid` is required.'),
  ),
  fromMs: Type.Optional(int64('Start of the time, epoch milliseconds.', 0)),
  toMs: Type.Optional(int64('Its end, exclusive.', 0)),
  clipUuid: Type.Optional(ruuid('A saved clip, instead of a time of a camera.')),
};

/** Fails HOLD_TIME_INVALID. */
export function thingOf(request: {
  readonly cameraUuid?: Ruuid | null;
  readonly fromMs?: number | null;
  readonly toMs?: number | null;
  readonly clipUuid?: Ruuid | null;
}): HeldThing {
  const { cameraUuid = null, fromMs = null, toMs = null, clipUuid = null } = request;
  if (clipUuid !== null && cameraUuid === null && fromMs === null && toMs === null) return { clipUuid };
  if (clipUuid === null && cameraUuid !== null && fromMs !== null && toMs !== null) {
    return { cameraUuid, startMs: fromMs, endMs: toMs };
  }
  throw new GatewayError(CASE_ERRORS.HOLD_TIME_INVALID);
}

const createHold = defineEndpoint({
  path: '/api/evidence/createHold',
  summary: 'Places a legal hold on a time of a camera, or on a clip.',
  description:
    'Nothing deletes what is held: neither retention, nor a full disk, nor the removal of the camera. Whole recording files stay, also ' +
    'around the time. An organization can hold half of the disk that others leave.',
  isExtension: true,
  repetition: 'once',
  request: Type.Object({
    ...THING_FIELDS,
    reason: text('Why it is held.', MAX_REASON_CHARS),
    untilMs: Type.Optional(int64('When it ends, epoch milliseconds; absent: when someone releases it.', 0)),
  }),
  response: { hold: HOLD_SCHEMA },
  example: {
    request: {
      cameraUuid: EXAMPLE_CAMERA_UUID,
      fromMs: EXAMPLE_TIME_MS,
      toMs: EXAMPLE_TIME_MS + HOUR_MS,
      reason: 'Theft on January 1',
    },
    response: { hold: EXAMPLE_HOLD },
  },
  async handler({ orgUuid, caller, services }, { reason, untilMs = null, ...named }) {
    const thing = thingOf(named);
    if ('clipUuid' in thing) await services.savedClips.find(orgUuid, thing.clipUuid, caller.actor.uuid);
    else await services.devices.findCamera(orgUuid, thing.cameraUuid);
    const request = { thing, reason, heldBy: caller.actor.name, untilMs };
    return { hold: holdResponse(await services.evidence.holds.create(orgUuid, request)) };
  },
});

const findHolds = defineEndpoint({
  path: '/api/evidence/findHolds',
  summary: 'Lists legal holds, and how much of the disk they keep.',
  description: 'A hold of a case names it in `caseUuid`.',
  isExtension: true,
  request: Type.Object({
    cameraUuid: Type.Optional(deviceUuid('Only those of this camera.')),
  }),
  response: {
    holds: listOf(HOLD_SCHEMA, 'The holds, the oldest first.'),
    heldBytes: int64('Bytes of recordings that the organization holds.'),
    allowedBytes: nullable(int64('How much it can hold; null: recordings are not on the gateway’s disk.')),
  },
  example: {
    request: { cameraUuid: EXAMPLE_CAMERA_UUID },
    response: { holds: [EXAMPLE_HOLD], heldBytes: 1_800_000_000, allowedBytes: 500_000_000_000 },
  },
  async handler({ orgUuid, services: { evidence } }, { cameraUuid }) {
    const [holds, use] = await Promise.all([
      evidence.holds.list(orgUuid, { cameraUuid: cameraUuid ?? null }),
      evidence.holds.use(orgUuid),
    ]);
    const allowedBytes = use.allowedBytes === null ? null : Math.floor(use.allowedBytes);
    return { holds: holds.map(holdResponse), heldBytes: use.heldBytes, allowedBytes };
  },
});

const releaseHold = defineEndpoint({
  path: '/api/evidence/releaseHold',
  summary: 'Releases a legal hold.',
  description: 'Retention can delete what was held from now on. A hold of a case is released with its item.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({ holdUuid: ruuid('The hold.') }),
  response: {},
  example: { request: { holdUuid: EXAMPLE_HOLD.uuid }, response: {} },
  async handler({ orgUuid, services: { evidence } }, { holdUuid }) {
    await evidence.holds.release(orgUuid, holdUuid);
    return {};
  },
});

const getSigningCertificates = defineEndpoint({
  path: '/api/evidence/getSigningCertificates',
  summary: 'Lists the certificates of the keys that sign recordings and cases.',
  description: 'Older certificates stay, because older recordings need them.',
  isExtension: true,
  request: Type.Object({}),
  response: { certificates: listOf(CERTIFICATE_SCHEMA, 'The certificates, the oldest first.') },
  example: {
    request: {},
    response: {
      certificates: [
        {
          generation: 1,
          pem: '-----BEGIN CERTIFICATE-----\nMII…\n-----END CERTIFICATE-----\n',
          fingerprint: 'a'.repeat(64),
          createdAtMs: EXAMPLE_TIME_MS,
        },
      ],
    },
  },
  async handler({ services: { evidence } }) {
    const all = await evidence.certificates.list();
    return {
      certificates: all.map(({ generation, pem, createdAtMs }) => ({
        generation,
        pem,
        fingerprint: fingerprintOf(pem),
        createdAtMs,
      })),
    };
  },
});

const PROOF_FIELDS = {
  segments: int32('How many segments were checked.'),
  whole: int32('Those that are as they were recorded, signed by this gateway.'),
  changed: int32('Those that are not.'),
  unsigned: int32('Those that no known key signed, so anyone could have written them.'),
  unlinked: int32('Those that an older version recorded without a proof.'),
  gaps: int32('Places where segments are missing, or where the recorder started again.'),
  changedAtMs: listOf(int64('Epoch milliseconds.'), 'When the first 100 changed segments begin.'),
  cameraSignature: nullable(CAMERA_SIGNATURE_SCHEMA),
};

const validateRecording = defineEndpoint({
  path: '/api/evidence/validateRecording',
  summary: 'Checks whether recordings of a camera are as they were recorded.',
  description:
    'Reads all recordings of the time, which is at most an hour, and checks each segment against its signed link. If the camera signs ' +
    'its video (ONVIF Media Signing), `cameraSignature` says what it signed.',
  isExtension: true,
  request: Type.Object({
    cameraUuid: deviceUuid('The camera.'),
    fromMs: int64('Start of the time, epoch milliseconds.', 0),
    toMs: int64('Its end, exclusive.', 0),
  }),
  response: { ...PROOF_FIELDS, isWhole: flag('Whether nothing was changed and everything is signed.') },
  example: {
    request: { cameraUuid: EXAMPLE_CAMERA_UUID, fromMs: EXAMPLE_TIME_MS, toMs: EXAMPLE_TIME_MS + HOUR_MS },
    response: {
      segments: 1_800,
      whole: 1_800,
      changed: 0,
      unsigned: 0,
      unlinked: 0,
      gaps: 0,
      changedAtMs: [],
      cameraSignature: {
        signed: 1_799,
        incomplete: 0,
        changed: 0,
        unverifiable: 0,
        subject: 'CN=Lobby camera',
        issuer: 'CN=Example manufacturer CA',
        fingerprint: 'c'.repeat(64),
        manufacturer: 'Example',
        serialNumber: 'B8A44F0012',
      },
      isWhole: true,
    },
  },
  async handler({ orgUuid, services }, { cameraUuid, fromMs, toMs }) {
    await services.devices.findCamera(orgUuid, cameraUuid);
    if (fromMs >= toMs || toMs - fromMs > MAX_VALIDATED_MS) {
      throw new GatewayError(CASE_ERRORS.PROOF_TIME_INVALID);
    }
    const { evidence, recordedMedia } = services;
    const keys = await evidence.certificates.publicKeys();
    const time = { cameraUuid, fromMs, toMs };
    const { cameraSignature, ...proof } = await proveRecording(recordedMedia, time, keys);
    return {
      ...proof,
      changedAtMs: [...proof.changedAtMs],
      cameraSignature: cameraSignature === null ? null : cameraSignatureResponse(cameraSignature),
      isWhole: proof.whole === proof.segments,
    };
  },
});

export const HOLD_ENDPOINTS: readonly Endpoint[] = [
  createHold,
  findHolds,
  releaseHold,
  getSigningCertificates,
  validateRecording,
];
