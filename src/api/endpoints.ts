/** Every endpoint of the API. */

import type { Endpoint } from '../http/endpoint.ts';
import { ABSENT_DEVICE_ENDPOINTS } from './absent-device-endpoints.ts';
import { findAccessControlCredentialByUser } from './accesscontrol/find-access-control-credential-by-user.ts';
import { findLocationAccessRevocationsByOrg } from './accesscontrol/find-location-access-revocations-by-org.ts';
import { getStandardCsnCredentialDetails } from './accesscontrol/get-standard-csn-credential-details.ts';
import { createLockdownRuleForLocation } from './accesscontrol/lockdown/create-lockdown-rule-for-location.ts';
import { deleteLockdownRule } from './accesscontrol/lockdown/delete-lockdown-rule.ts';
import { findLockdownRulesByLocation } from './accesscontrol/lockdown/find-lockdown-rules-by-location.ts';
import { POLICY_ALERT_ENDPOINTS } from './alerts/policy-alerts.ts';
import { CAMERA_CONFIG_ENDPOINTS } from './cameras/camera-config.ts';
import { CAMERA_IMAGE_ENDPOINTS } from './cameras/camera-images.ts';
import { CAMERA_SETUP_ENDPOINTS } from './cameras/camera-setup.ts';
import { CAMERA_STATE_ENDPOINTS } from './cameras/camera-states.ts';
import { CAMERA_ENDPOINTS } from './cameras/cameras.ts';
import { DEVICE_HISTORY_ENDPOINTS } from './cameras/device-history.ts';
import { FOOTAGE_ENDPOINTS } from './cameras/footage.ts';
import { MEDIA_URI_ENDPOINTS } from './cameras/media-uris.ts';
import { CLIP_WITH_PROGRESS_ENDPOINTS } from './clips/clips-with-progress.ts';
import { SAVED_CLIP_ENDPOINTS } from './clips/saved-clips.ts';
import { SHARED_CLIP_GROUP_ENDPOINTS } from './clips/shared-clip-groups.ts';
import { SPLICED_CLIP_ENDPOINTS } from './clips/spliced-clips.ts';
import { TIMELAPSE_ENDPOINTS } from './clips/timelapses.ts';
import { addAccessControlledElevatorLandingLabel } from './component/elevator/add-access-controlled-elevator-landing-label.ts';
import { findAccessControlledElevatorLandingShadows } from './component/elevator/find-access-controlled-elevator-landing-shadows.ts';
import { findAccessControlledElevatorLandingShadowsByLocation } from './component/elevator/find-access-controlled-elevator-landing-shadows-by-location.ts';
import { findAccessControlledElevatorLandingsByLocation } from './component/elevator/find-access-controlled-elevator-landings-by-location.ts';
import { getAccessControlledElevatorLandingLabelsForOrg } from './component/elevator/get-access-controlled-elevator-landing-labels-for-org.ts';
import { removeAccessControlledElevatorLandingLabel } from './component/elevator/remove-access-controlled-elevator-landing-label.ts';
import { findAccessControlledDoors } from './component/find-access-controlled-doors.ts';
import { findAccessControlledDoorsByOwnerDevice } from './component/find-access-controlled-doors-by-owner-device.ts';
import { findComponentEventsByAccessControlledDoor } from './component/find-component-events-by-access-controlled-door.ts';
import { findComponentEventsByLocation } from './component/find-component-events-by-location.ts';
import { findComponentEventsByUser } from './component/find-component-events-by-user.ts';
import { findPaginatedComponentEventsByAccessControlledDoor } from './component/find-paginated-component-events-by-access-controlled-door.ts';
import { updateAccessControlledDoor } from './component/update-access-controlled-door.ts';
import { CONSOLE_ENDPOINTS } from './console-endpoints.ts';
import { INGEST_ENDPOINTS } from './ingest-endpoints.ts';
import { deleteAlarmVendorIntegration } from './integrations/accessControl/delete-alarm-vendor-integration.ts';
import { getAlarmVendorIntegration } from './integrations/accessControl/get-alarm-vendor-integration.ts';
import { getBadgeVendorAIntegrationV2 } from './integrations/accessControl/get-badge-vendor-a-integration-v2.ts';
import { getBadgeVendorBIntegrationV2 } from './integrations/accessControl/get-badge-vendor-b-integration-v2.ts';
import { updateAlarmVendorIntegration } from './integrations/accessControl/update-alarm-vendor-integration.ts';
import { updateBadgeVendorAIntegrationV2 } from './integrations/accessControl/update-badge-vendor-a-integration-v2.ts';
import { updateBadgeVendorBIntegrationV2 } from './integrations/accessControl/update-badge-vendor-b-integration-v2.ts';
import { CAMERA_LOGIN_ENDPOINTS } from './nvrs/camera-logins.ts';
import { DISCOVERED_CAMERA_ENDPOINTS } from './nvrs/discovered-cameras.ts';
import { NVR_ENDPOINTS } from './nvrs/nvrs.ts';
import { PTZ_ENDPOINTS } from './nvrs/ptz.ts';
import { THIRD_PARTY_CAMERA_ENDPOINTS } from './nvrs/third-party-cameras.ts';
import { OAUTH_APPLICATION_ENDPOINTS } from './oauth/applications.ts';
import { API_TOKEN_ENDPOINTS } from './organization/api-tokens.ts';
import { AUDIT_ENDPOINTS } from './organization/audit.ts';
import { DIAGNOSTIC_ENDPOINTS } from './organization/diagnostics.ts';
import { LOCATION_ENDPOINTS } from './organization/locations.ts';
import { ORGANIZATION_ENDPOINTS } from './organization/organization.ts';
import { PENDING_HARDWARE_ENDPOINTS } from './organization/pending-hardware.ts';
import { USER_ENDPOINTS } from './organization/users.ts';
import { WEBHOOK_ENDPOINTS } from './organization/webhooks.ts';
import { getLicensesForOrg } from './partner/get-licenses-for-org.ts';
import { COUNTING_CAMERA_ENDPOINTS } from './platform/counting-cameras.ts';
import { getClimatePolicies } from './policy/get-climate-policies.ts';
import { getPoliciesUsingSchedule } from './policy/get-policies-using-schedule.ts';
import { pauseAlertPolicyForComponentComposite } from './policy/pause-alert-policy-for-component-composite.ts';
import { updateClimatePolicy } from './policy/update-climate-policy.ts';
import { getProximityTags } from './proximity/get-tags.ts';
import { updateProximityDetails } from './proximity/update-details.ts';
import { getBatchThresholdCrossingCountReport } from './report/get-batch-threshold-crossing-count-report.ts';
import { getCountReportV2 } from './report/get-count-report-v2.ts';
import { getCountReportsForDevicesAtLocation } from './report/get-count-reports-for-devices-at-location.ts';
import { getMostRecentPeopleCountEvents } from './report/get-most-recent-people-count-events.ts';
import { getOccupancyCounts } from './report/get-occupancy-counts.ts';
import { getOccupancyCountsV2 } from './report/get-occupancy-counts-v2.ts';
import { getPosEventsTableAllLocations } from './report/get-pos-events-table-all-locations.ts';
import { getRunningAverage } from './report/get-running-average.ts';
import { getThresholdCrossingCountReport } from './report/get-threshold-crossing-count-report.ts';
import { getThresholdCrossingCountReportForOrg } from './report/get-threshold-crossing-count-report-for-org.ts';
import { getThresholdCrossingEvents } from './report/get-threshold-crossing-events.ts';
import { getThresholdCrossingEventsForDevice } from './report/get-threshold-crossing-events-for-device.ts';
import { DATED_SCHEDULE_ENDPOINTS } from './schedules/dated-schedules.ts';
import { SCHEDULE_ENDPOINTS } from './schedules/schedules.ts';
import { WEEKLY_SCHEDULE_ENDPOINTS } from './schedules/weekly-schedules.ts';
import { SHARED_STREAM_OVERVIEW_ENDPOINTS } from './shares/shared-stream-overview.ts';
import { SHARED_STREAM_VIEWER_ENDPOINTS } from './shares/shared-stream-viewers.ts';
import { SHARED_STREAM_ENDPOINTS } from './shares/shared-streams.ts';
import { VIDEO_WALL_ENDPOINTS } from './shares/video-walls.ts';

/** In the order in which documents show them within a category. */

export const ENDPOINTS: readonly Endpoint[] = [
  ...CAMERA_ENDPOINTS,
  ...CAMERA_SETUP_ENDPOINTS,
  ...CAMERA_STATE_ENDPOINTS,
  ...CAMERA_CONFIG_ENDPOINTS,
  ...MEDIA_URI_ENDPOINTS,
  ...CAMERA_IMAGE_ENDPOINTS,
  ...FOOTAGE_ENDPOINTS,
  ...DEVICE_HISTORY_ENDPOINTS,
  ...NVR_ENDPOINTS,
  ...THIRD_PARTY_CAMERA_ENDPOINTS,
  ...DISCOVERED_CAMERA_ENDPOINTS,
  ...CAMERA_LOGIN_ENDPOINTS,
  ...PTZ_ENDPOINTS,
  ...SHARED_STREAM_OVERVIEW_ENDPOINTS,
  ...SHARED_STREAM_VIEWER_ENDPOINTS,
  ...SHARED_STREAM_ENDPOINTS,
  ...VIDEO_WALL_ENDPOINTS,
  ...SCHEDULE_ENDPOINTS,
  ...WEEKLY_SCHEDULE_ENDPOINTS,
  ...DATED_SCHEDULE_ENDPOINTS,
  ...SAVED_CLIP_ENDPOINTS,
  ...CLIP_WITH_PROGRESS_ENDPOINTS,
  ...SHARED_CLIP_GROUP_ENDPOINTS,
  ...SPLICED_CLIP_ENDPOINTS,
  ...TIMELAPSE_ENDPOINTS,
  ...POLICY_ALERT_ENDPOINTS,
  ...ORGANIZATION_ENDPOINTS,
  ...USER_ENDPOINTS,
  ...LOCATION_ENDPOINTS,
  ...PENDING_HARDWARE_ENDPOINTS,
  ...API_TOKEN_ENDPOINTS,
  ...WEBHOOK_ENDPOINTS,
  ...AUDIT_ENDPOINTS,
  ...DIAGNOSTIC_ENDPOINTS,
  ...OAUTH_APPLICATION_ENDPOINTS,
  ...CONSOLE_ENDPOINTS,
  ...INGEST_ENDPOINTS,
  findAccessControlledDoors,
  findAccessControlledDoorsByOwnerDevice,
  updateAccessControlledDoor,
  findComponentEventsByAccessControlledDoor,
  findPaginatedComponentEventsByAccessControlledDoor,
  findComponentEventsByLocation,
  findComponentEventsByUser,
  findAccessControlledElevatorLandingsByLocation,
  findAccessControlledElevatorLandingShadows,
  findAccessControlledElevatorLandingShadowsByLocation,
  getAccessControlledElevatorLandingLabelsForOrg,
  addAccessControlledElevatorLandingLabel,
  removeAccessControlledElevatorLandingLabel,
  getStandardCsnCredentialDetails,
  findAccessControlCredentialByUser,
  findLocationAccessRevocationsByOrg,
  findLockdownRulesByLocation,
  createLockdownRuleForLocation,
  deleteLockdownRule,
  getBadgeVendorAIntegrationV2,
  updateBadgeVendorAIntegrationV2,
  getBadgeVendorBIntegrationV2,
  updateBadgeVendorBIntegrationV2,
  getAlarmVendorIntegration,
  updateAlarmVendorIntegration,
  deleteAlarmVendorIntegration,
  getClimatePolicies,
  getPoliciesUsingSchedule,
  updateClimatePolicy,
  pauseAlertPolicyForComponentComposite,
  getThresholdCrossingEventsForDevice,
  getThresholdCrossingEvents,
  getThresholdCrossingCountReport,
  getThresholdCrossingCountReportForOrg,
  getBatchThresholdCrossingCountReport,
  getCountReportV2,
  getCountReportsForDevicesAtLocation,
  getRunningAverage,
  getMostRecentPeopleCountEvents,
  ...COUNTING_CAMERA_ENDPOINTS,
  getOccupancyCounts,
  getOccupancyCountsV2,
  getPosEventsTableAllLocations,
  getLicensesForOrg,
  getProximityTags,
  updateProximityDetails,
  ...ABSENT_DEVICE_ENDPOINTS,
];
