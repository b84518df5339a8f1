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
import { getCurrentUserNotificationSettings } from './customer/get-current-user-notification-settings.ts';
import { updateCurrentUserNotificationSettings } from './customer/update-current-user-notification-settings.ts';
import { exportDiagnostic } from './export/export-diagnostic.ts';
import { INGEST_ENDPOINTS } from './ingest-endpoints.ts';
import { deleteAlarmVendorIntegration } from './integrations/accessControl/delete-alarm-vendor-integration.ts';
import { getAlarmVendorIntegration } from './integrations/accessControl/get-alarm-vendor-integration.ts';
import { getBadgeVendorAIntegrationV2 } from './integrations/accessControl/get-badge-vendor-a-integration-v2.ts';
import { getBadgeVendorBIntegrationV2 } from './integrations/accessControl/get-badge-vendor-b-integration-v2.ts';
import { updateAlarmVendorIntegration } from './integrations/accessControl/update-alarm-vendor-integration.ts';
import { updateBadgeVendorAIntegrationV2 } from './integrations/accessControl/update-badge-vendor-a-integration-v2.ts';
import { updateBadgeVendorBIntegrationV2 } from './integrations/accessControl/update-badge-vendor-b-integration-v2.ts';
import { getApiTokens } from './integrations/get-api-tokens.ts';
import { revokeApiToken } from './integrations/revoke-api-token.ts';
import { submitApiTokenApplication } from './integrations/submit-api-token-application.ts';
import { validateToken } from './integrations/validate-token.ts';
import { deleteWebhookIntegrationV2 } from './integrations/webhooks/delete-webhook-integration-v2.ts';
import { getWebhookIntegration } from './integrations/webhooks/get-webhook-integration.ts';
import { updateWebhookIntegrationV2 } from './integrations/webhooks/update-webhook-integration-v2.ts';
import { createLocation } from './location/create-location.ts';
import { deleteLocation } from './location/delete-location.ts';
import { getLocationLabelsForOrg } from './location/get-location-labels-for-org.ts';
import { getLocations } from './location/get-locations.ts';
import { getLocationsV2 } from './location/get-locations-v2.ts';
import { updateLocation } from './location/update-location.ts';
import { CAMERA_LOGIN_ENDPOINTS } from './nvrs/camera-logins.ts';
import { DISCOVERED_CAMERA_ENDPOINTS } from './nvrs/discovered-cameras.ts';
import { NVR_ENDPOINTS } from './nvrs/nvrs.ts';
import { PTZ_ENDPOINTS } from './nvrs/ptz.ts';
import { THIRD_PARTY_CAMERA_ENDPOINTS } from './nvrs/third-party-cameras.ts';
import { deleteApplication } from './oauth/delete-application.ts';
import { getAllApplicationsForOrg } from './oauth/get-all-applications-for-org.ts';
import { getAllGrantsForOrg } from './oauth/get-all-grants-for-org.ts';
import { getApplicationByClientId } from './oauth/get-application-by-client-id.ts';
import { revokeGrant } from './oauth/revoke-grant.ts';
import { submitApplication } from './oauth/submit-application.ts';
import { updateApplication } from './oauth/update-application.ts';
import { createPendingRegistration } from './org/create-pending-registration.ts';
import { findAllHardwareWithPendingRegistration } from './org/find-all-hardware-with-pending-registration.ts';
import { generateFederatedSessionToken } from './org/generate-federated-session-token.ts';
import { getCameraNetworks } from './org/get-camera-networks.ts';
import { getOrgV2 } from './org/get-org-v2.ts';
import { removePendingRegistration } from './org/remove-pending-registration.ts';
import { updateCameraNetworks } from './org/update-camera-networks.ts';
import { updateOrgDetails } from './org/update-details.ts';
import { updatePendingRegistration } from './org/update-pending-registration.ts';
import { getPartnerClientsV2 } from './partner/get-clients-v2.ts';
import { getLicensesForOrg } from './partner/get-licenses-for-org.ts';
import { submitPartnerApiTokenApplication } from './partner/submit-api-token-application.ts';
import { getPermissionsForCurrentUser } from './permission/get-permissions-for-current-user.ts';
import { COUNTING_CAMERA_ENDPOINTS } from './platform/counting-cameras.ts';
import { getClimatePolicies } from './policy/get-climate-policies.ts';
import { getPoliciesUsingSchedule } from './policy/get-policies-using-schedule.ts';
import { pauseAlertPolicyForComponentComposite } from './policy/pause-alert-policy-for-component-composite.ts';
import { updateClimatePolicy } from './policy/update-climate-policy.ts';
import { getProximityTags } from './proximity/get-tags.ts';
import { updateProximityDetails } from './proximity/update-details.ts';
import { findAuditEvents } from './report/find-audit-events.ts';
import { getAuditFeed } from './report/get-audit-feed.ts';
import { getAuditFeedForPrincipal } from './report/get-audit-feed-for-principal.ts';
import { getAuditFeedForTarget } from './report/get-audit-feed-for-target.ts';
import { getBatchThresholdCrossingCountReport } from './report/get-batch-threshold-crossing-count-report.ts';
import { getCountReportV2 } from './report/get-count-report-v2.ts';
import { getCountReportsForDevicesAtLocation } from './report/get-count-reports-for-devices-at-location.ts';
import { getDiagnosticFeed } from './report/get-diagnostic-feed.ts';
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
import { getUsersInOrg } from './user/get-users-in-org.ts';
import { getDeliveries } from './webhook/get-deliveries.ts';

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
  getOrgV2,
  getCameraNetworks,
  getPartnerClientsV2,
  generateFederatedSessionToken,
  updateOrgDetails,
  updateCameraNetworks,
  getCurrentUserNotificationSettings,
  updateCurrentUserNotificationSettings,
  getPermissionsForCurrentUser,
  getUsersInOrg,
  getLocations,
  getLocationsV2,
  getLocationLabelsForOrg,
  createLocation,
  updateLocation,
  deleteLocation,
  findAllHardwareWithPendingRegistration,
  createPendingRegistration,
  updatePendingRegistration,
  removePendingRegistration,
  validateToken,
  getApiTokens,
  submitApiTokenApplication,
  submitPartnerApiTokenApplication,
  revokeApiToken,
  getWebhookIntegration,
  updateWebhookIntegrationV2,
  deleteWebhookIntegrationV2,
  getDeliveries,
  getAuditFeed,
  getAuditFeedForPrincipal,
  getAuditFeedForTarget,
  findAuditEvents,
  getDiagnosticFeed,
  exportDiagnostic,
  getApplicationByClientId,
  getAllApplicationsForOrg,
  submitApplication,
  updateApplication,
  deleteApplication,
  getAllGrantsForOrg,
  revokeGrant,
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
