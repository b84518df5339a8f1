/** POST /api/event/savePolicyAlertV2: saves a policy alert as a clip. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { ruuid, text } from '../../http/fields/field-types.ts';
import { FISHEYE_MAP } from '../types/clip-view-type.ts';
import { EXAMPLE_ALERT_UUID } from './policy-alert-example.ts';

const MAX_DESCRIPTION_LENGTH = 4_096;

export const savePolicyAlertV2 = defineEndpoint({
  path: '/api/event/savePolicyAlertV2',
  summary: 'Saves a policy alert as a clip.',
  description:
    'The clip takes its device, time and footage data from the alert, which is `saved` from then on. If the alert ' +
    'was saved before, it keeps its clip, with the title, description and views of this call.',
  repetition: 'once',
  request: Type.Object({
    alertUuid: ruuid('The alert.'),
    savedClipTitle: Type.Optional(text('Title; default: the alert’s description.')),
    savedClipDescription: Type.Optional(text('A description.', MAX_DESCRIPTION_LENGTH)),
    fisheyePresentationMap: Type.Optional(FISHEYE_MAP),
  }),
  response: {},
  example: {
    request: { alertUuid: EXAMPLE_ALERT_UUID, savedClipTitle: 'Delivery at the dock' },
    response: {},
  },
  async handler(
    { orgUuid, caller, services },
    { alertUuid, savedClipTitle, savedClipDescription, ...views },
  ) {
    const { fisheyePresentationMap } = views;
    await services.savedClips.saveAlert(orgUuid, alertUuid, {
      userUuid: caller.actor.uuid,
      ...(savedClipTitle === undefined ? {} : { title: savedClipTitle }),
      ...(savedClipDescription === undefined ? {} : { description: savedClipDescription }),
      ...(fisheyePresentationMap === undefined ? {} : { fisheyeMap: fisheyePresentationMap }),
    });
    return {};
  },
});
