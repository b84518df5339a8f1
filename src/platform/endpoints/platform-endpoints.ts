/** Every endpoint of the platform. */

import type { Endpoint } from '../../http/endpoint.ts';
import { ABSENT_DEVICE_ENDPOINTS } from './absent-devices.ts';
import { ACCESS_INTEGRATION_ENDPOINTS } from './access-integrations.ts';
import { COMPONENT_EVENT_ENDPOINTS } from './component-events.ts';
import { COUNTING_CAMERA_ENDPOINTS } from './counting-cameras.ts';
import { CREDENTIAL_ENDPOINTS } from './credentials.ts';
import { CROSSING_ENDPOINTS } from './crossings.ts';
import { DOOR_ENDPOINTS } from './doors.ts';
import { ELEVATOR_LANDING_ENDPOINTS } from './elevator-landings.ts';
import { LICENSE_ENDPOINTS } from './licenses.ts';
import { LOCKDOWN_RULE_ENDPOINTS } from './lockdown-rules.ts';
import { OBJECT_COUNT_ENDPOINTS } from './object-counts.ts';
import { OCCUPANCY_AND_SALES_ENDPOINTS } from './occupancy-and-sales.ts';
import { POLICY_ENDPOINTS } from './policies.ts';
import { PROXIMITY_TAG_ENDPOINTS } from './proximity-tags.ts';
import { TIMELINE_EVENT_ENDPOINTS } from './timeline-events.ts';

export const PLATFORM_ENDPOINTS: readonly Endpoint[] = [
  ...DOOR_ENDPOINTS,
  ...COMPONENT_EVENT_ENDPOINTS,
  ...TIMELINE_EVENT_ENDPOINTS,
  ...ELEVATOR_LANDING_ENDPOINTS,
  ...CREDENTIAL_ENDPOINTS,
  ...LOCKDOWN_RULE_ENDPOINTS,
  ...ACCESS_INTEGRATION_ENDPOINTS,
  ...POLICY_ENDPOINTS,
  ...CROSSING_ENDPOINTS,
  ...OBJECT_COUNT_ENDPOINTS,
  ...COUNTING_CAMERA_ENDPOINTS,
  ...OCCUPANCY_AND_SALES_ENDPOINTS,
  ...LICENSE_ENDPOINTS,
  ...PROXIMITY_TAG_ENDPOINTS,
  ...ABSENT_DEVICE_ENDPOINTS,
];
