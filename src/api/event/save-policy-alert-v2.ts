/** POST /api/event/savePolicyAlertV2: keeps a policy alert as a saved clip. */

import { Type } from 'typebox';
import { ruuid, text } from '../fields/field-types.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { FISHEYE_MAP } from './clip-view-type.ts';
import { EXAMPLE_ALERT_UUID } from './policy-alert-example.ts';

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
  async handler({ orgUuid, services }, { alertUuid, savedClipTitle, savedClipDescription, ...views }) {
    const { fisheyePresentationMap } = views;
    await services.savedClips.saveAlert(orgUuid, alertUuid, {
      ...(savedClipTitle === undefined ? {} : { title: savedClipTitle }),
      ...(savedClipDescription === undefined ? {} : { description: savedClipDescription }),
      ...(fisheyePresentationMap === undefined ? {} : { fisheyeMap: fisheyePresentationMap }),
    });
    return {};
  },
});
