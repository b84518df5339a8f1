/** The alert in examples. */

import { deriveRuuid } from '../../core/ruuid.ts';
import type { StoredEvent } from '../../store/event.ts';
import {
  EXAMPLE_CAMERA_UUID,
  EXAMPLE_LOCATION_UUID,
  EXAMPLE_ORG_UUID,
  EXAMPLE_TIME_MS,
} from '../types/examples.ts';
import { acknowledgementAnswer } from './acknowledgement-type.ts';
import { policyAlertAnswer } from './policy-alert-type.ts';

export const EXAMPLE_ALERT_UUID = deriveRuuid('example', 'policy alert');

export const EXAMPLE_ALERT_EVENT: StoredEvent = {
  orgUuid: EXAMPLE_ORG_UUID,
  kind: 'policyAlert',
  id: EXAMPLE_ALERT_UUID,
  deviceUuid: EXAMPLE_CAMERA_UUID,
  atMs: EXAMPLE_TIME_MS,
  body: {
    type: 'POLICY_ALERT_V2',
    locationUuid: EXAMPLE_LOCATION_UUID,
    policyAlertTriggers: ['MOTION_HUMAN'],
    textDescription: 'Motion at the front desk',
    durationSec: 12,
    tempC: 21.5,
    tempCThreshold: 20,
  },
};

export const EXAMPLE_ACKNOWLEDGEMENT = acknowledgementAnswer({
  atMs: EXAMPLE_TIME_MS + 60_000,
  ...{ actorUuid: deriveRuuid('example', 'person'), actorName: 'Ada', note: 'The usual van' },
});

export const EXAMPLE_POLICY_ALERT = policyAlertAnswer(EXAMPLE_ALERT_EVENT);
