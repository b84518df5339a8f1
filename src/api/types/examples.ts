/** Identifiers that the examples of the OpenAPI document and of the reference page share. */

import { deriveRuuid } from '../../core/ruuid.ts';

export const EXAMPLE_ORG_UUID = deriveRuuid('example', 'organisation');
export const EXAMPLE_CAMERA_UUID = deriveRuuid('example', 'camera');
export const EXAMPLE_DOORBELL_UUID = deriveRuuid('example', 'doorbell camera');
export const EXAMPLE_NVR_UUID = deriveRuuid('example', 'nvr');
export const EXAMPLE_LOCATION_UUID = deriveRuuid('example', 'location');
export const EXAMPLE_CLIP_UUID = deriveRuuid('example', 'clip');
export const EXAMPLE_TIMELAPSE_UUID = deriveRuuid('example', 'timelapse');
export const EXAMPLE_SHARE_UUID = deriveRuuid('example', 'share');
export const EXAMPLE_WALL_UUID = deriveRuuid('example', 'video wall');
export const EXAMPLE_SCHEDULE_UUID = deriveRuuid('example', 'schedule');
export const EXAMPLE_TOKEN_UUID = deriveRuuid('example', 'API token');
export const EXAMPLE_CLIENT_ID = deriveRuuid('example', 'OAuth application');
export const EXAMPLE_LICENSE_UUID = deriveRuuid('example', 'licence');
export const EXAMPLE_GRANT_UUID = deriveRuuid('example', 'OAuth grant');

/** 2026-01-01T00:00Z. */
export const EXAMPLE_TIME_MS = 1_767_225_600_000;

/** 2026-02-01T00:00Z. */
export const EXAMPLE_EXPIRY_SEC = 1_769_904_000;
