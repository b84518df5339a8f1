/** POST /api/event/savePolicyAlertV2: keeps a policy alert as a saved clip. */

import { Type } from 'typebox';
import { GatewayError } from '../../core/errors.ts';
import { type CallContext, defineEndpoint } from '../base/endpoint.ts';
import { ruuid, text } from '../base/field-types.ts';
import { FISHEYE_MAP } from './clip-view-type.ts';
import { EVENT_ERRORS } from './errors.ts';
import { EXAMPLE_ALERT_UUID } from './policy-alert-example.ts';
import { findPolicyAlert, markAlertSaved, type PolicyAlertBody } from './policy-alert-type.ts';
import {
  alertClipUuid,
  MAX_SAVED_CLIPS,
  type SavedClip,
  type SavedClipBody,
  savedClipsOf,
} from './saved-clip.ts';

const MAX_DESCRIPTION_LENGTH = 4_096;

export const savePolicyAlertV2 = defineEndpoint({
  path: '/api/event/savePolicyAlertV2',
  summary: 'Saves a policy alert as a clip.',
  description:
    'The clip takes the device, the time and what is known about the footage from the alert, which is `saved` from then ' +
    'on. An alert that was saved before keeps its clip, with the title, the description and the views given now.',
  request: Type.Object({
    alertUuid: ruuid('The alert.'),
    savedClipTitle: Type.Optional(text('Title; the alert’s description when absent.')),
    savedClipDescription: Type.Optional(text('In words.', MAX_DESCRIPTION_LENGTH)),
    fisheyePresentationMap: Type.Optional(FISHEYE_MAP),
  }),
  response: {},
  example: {
    request: { alertUuid: EXAMPLE_ALERT_UUID, savedClipTitle: 'Delivery at the dock' },
    response: {},
  },
  async handler(context, { alertUuid, savedClipTitle, savedClipDescription, fisheyePresentationMap }) {
    const { orgUuid, services } = context;
    const alert = await findPolicyAlert(services.store, orgUuid, alertUuid);
    const body = alert.body as PolicyAlertBody;
    await saveClip(context, alert.deviceUuid, {
      ...footageOf(body),
      ...(savedClipTitle === undefined ? {} : { title: savedClipTitle }),
      ...(savedClipDescription === undefined ? {} : { description: savedClipDescription }),
      ...(fisheyePresentationMap === undefined ? {} : { fisheyeMap: fisheyePresentationMap }),
      reportedId: null,
      sourceAlertUuid: alertUuid,
      deviceUuids: [alert.deviceUuid],
      locationUuid: alert.locationUuid ?? null,
      timestampMs: alert.atMs,
    });
    await markAlertSaved(services.store, orgUuid, alertUuid, true);
    return {};
  },
});

/** What an alert says of its footage, in the words of a clip. */
function footageOf(alert: PolicyAlertBody): Partial<SavedClipBody> {
  const { textDescription, durationSec, clipLocation, clipLocationMap } = alert;
  const { thumbnailLocation, thumbnailLocationV2, boundingBoxes, seekPoints } = alert;
  return {
    ...(textDescription === undefined ? {} : { title: textDescription.slice(0, 256) }),
    ...(durationSec === undefined ? {} : { durationSec }),
    ...(clipLocation === undefined ? {} : { clipLocation }),
    ...(clipLocationMap === undefined ? {} : { deviceUuidMap: clipLocationMap }),
    ...(thumbnailLocation === undefined ? {} : { thumbnailLocation }),
    ...(thumbnailLocationV2 === undefined ? {} : { thumbnailLocationV2 }),
    ...(boundingBoxes === undefined ? {} : { boundingBoxes }),
    ...(seekPoints === undefined ? {} : { seekPoints }),
  };
}

/** Fails SAVED_CLIPS_FULL. */
async function saveClip(
  { orgUuid, services }: CallContext,
  deviceUuid: SavedClipBody['locationUuid'],
  body: SavedClipBody & { readonly sourceAlertUuid: NonNullable<SavedClipBody['sourceAlertUuid']> },
): Promise<void> {
  const clips = savedClipsOf(services.store);
  const uuid = alertClipUuid(orgUuid, body.sourceAlertUuid);
  const nowMs = services.clock.epochMs();
  const decide = (known: SavedClip | null): SavedClip => ({
    uuid,
    orgUuid,
    name: body.title ?? '',
    parentUuid: deviceUuid,
    body: { ...known?.body, ...body },
    secret: null,
    createdAtMs: known?.createdAtMs ?? nowMs,
    updatedAtMs: nowMs,
  });
  await clips.change(orgUuid, uuid, decide, {
    ...{ atMost: MAX_SAVED_CLIPS, within: 'organisation' },
    full: () => new GatewayError(EVENT_ERRORS.SAVED_CLIPS_FULL),
  });
}
