/** Every endpoint of the API. */

import type { Endpoint } from './base/endpoint.ts';
import { createSharedLiveVideoStream } from './camera/create-shared-live-video-stream.ts';
import { deleteSharedLiveVideoStream } from './camera/delete-shared-live-video-stream.ts';
import { findAllSharedLiveVideoStreams } from './camera/find-all-shared-live-video-streams.ts';
import { findSharedLiveVideoStreams } from './camera/find-shared-live-video-streams.ts';
import { getMinimalCameraStateList } from './camera/get-minimal-camera-state-list.ts';
import { updateSharedLiveVideoStream } from './camera/update-shared-live-video-stream.ts';
import { createDoorbellSharedLiveVideoStream } from './doorbellcamera/create-shared-live-video-stream.ts';
import { deleteDoorbellSharedLiveVideoStream } from './doorbellcamera/delete-shared-live-video-stream.ts';
import { findDoorbellSharedLiveVideoStreams } from './doorbellcamera/find-shared-live-video-streams.ts';
import { validateToken } from './integrations/validate-token.ts';
import { createLocation } from './location/create-location.ts';
import { getLocations } from './location/get-locations.ts';
import { getOrgV2 } from './org/get-org-v2.ts';
import { updateSchedule } from './policy/update-schedule.ts';
import { getMinimalNvrStateList } from './relay/get-minimal-nvr-state-list.ts';
import { createAbsoluteSchedule } from './schedule/create-absolute-schedule.ts';
import { createWeeklySchedule } from './schedule/create-weekly-schedule.ts';
import { deleteSchedule } from './schedule/delete-schedule.ts';
import { findAbsoluteSchedule } from './schedule/find-absolute-schedule.ts';
import { findWeeklySchedule } from './schedule/find-weekly-schedule.ts';
import { getScheduleDataV2 } from './schedule/get-schedule-data-v2.ts';
import { getSchedules } from './schedule/get-schedules.ts';
import { updateAbsoluteSchedule } from './schedule/update-absolute-schedule.ts';

/** In the order in which documents show them within a category. */
export const ENDPOINTS: readonly Endpoint[] = [
  createSharedLiveVideoStream,
  findSharedLiveVideoStreams,
  findAllSharedLiveVideoStreams,
  updateSharedLiveVideoStream,
  deleteSharedLiveVideoStream,
  getMinimalCameraStateList,
  createDoorbellSharedLiveVideoStream,
  findDoorbellSharedLiveVideoStreams,
  deleteDoorbellSharedLiveVideoStream,
  getMinimalNvrStateList,
  createLocation,
  getLocations,
  createWeeklySchedule,
  findWeeklySchedule,
  createAbsoluteSchedule,
  findAbsoluteSchedule,
  updateAbsoluteSchedule,
  getSchedules,
  getScheduleDataV2,
  deleteSchedule,
  updateSchedule,
  validateToken,
  getOrgV2,
];
