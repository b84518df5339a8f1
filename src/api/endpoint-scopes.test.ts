import { describe, expect, it } from 'vitest';
import { SCOPED_PATHS, type ScopeTreatment, scopeTreatmentOf } from '../http/endpoint-scopes.ts';
import { ENDPOINTS } from './endpoints.ts';

/** Of those that a limited caller has the role for: such a caller is never an admin. */
const pathsOf = (treatment: ScopeTreatment) =>
  ENDPOINTS.filter((endpoint) => endpoint.limited === treatment && endpoint.role !== 'admin')
    .map(({ path }) => path.slice('/api/'.length))
    .toSorted();

/** A new endpoint is in one of these lists only after someone has decided which. */
describe('to a caller with limited rights, an endpoint', () => {
  it('is refused if it is about the whole organization', () => {
    expect(pathsOf('refused')).toMatchInlineSnapshot(`
      [
        "org/findAllHardwareWithPendingRegistration",
        "partner/getClientsV2",
        "proximity/getTags",
      ]
    `);
  });

  it('is the same as for everyone if nothing in it depends on cameras', () => {
    expect(pathsOf('organization')).toMatchInlineSnapshot(`
      [
        "camera/getCameraUrlTemplates",
        "console/acceptInvite",
        "console/addPasskey",
        "console/beginAddingPasskey",
        "console/beginConfirmation",
        "console/beginInvitePasskey",
        "console/beginPasskeySignIn",
        "console/changePassword",
        "console/confirmIdentity",
        "console/deletePasskey",
        "console/endSession",
        "console/getPasskeys",
        "console/getSession",
        "console/getSessions",
        "console/renamePasskey",
        "console/signIn",
        "console/signInWithPasskey",
        "console/signOut",
        "customer/getCurrentUserNotificationSettings",
        "integrations/validateToken",
        "org/getOrgV2",
        "video/getMaxSpliceDuration",
      ]
    `);
  });

  it('shows what is within the rights otherwise', () => {
    expect(pathsOf('cameras')).toMatchInlineSnapshot(`
      [
        "accesscontrol/findLocationAccessRevocationsByOrg",
        "accesscontrol/lockdownPlan/findLockdownRulesByLocation",
        "audiogateway/getMediaUris",
        "audiogateway/getMinimalAudioGatewayStateList",
        "badgereader/getMinimalStateList",
        "button/getMinimalButtonStateList",
        "camera/bulkUpdateSharedStreams",
        "camera/createCustomFootageSeekpoints",
        "camera/createPreviewGrant",
        "camera/createProtectedSharedLiveVideoStream",
        "camera/createProtectedSharedVideoWall",
        "camera/createSharedLiveVideoStream",
        "camera/createSharedVideoWall",
        "camera/createVideoWall",
        "camera/deleteCustomFootageSeekpoints",
        "camera/deleteSharedLiveVideoStream",
        "camera/deleteSharedVideoWall",
        "camera/deleteVideoWall",
        "camera/endSharedStreamViewer",
        "camera/findAllSharedLiveVideoStreams",
        "camera/findSharedLiveVideoStreams",
        "camera/findSharedStreamCreators",
        "camera/findSharedStreams",
        "camera/findSharedVideoWalls",
        "camera/getCameraMediaUris",
        "camera/getCameraStreamStates",
        "camera/getCustomFootageSeekpointsV2",
        "camera/getFootageSeekpointsV2",
        "camera/getFullCameraState",
        "camera/getLineCrossingEnabledCamerasForLocation",
        "camera/getMediaUris",
        "camera/getMinimalCameraStateList",
        "camera/getMinimalList",
        "camera/getOccupancyEnabledCameras",
        "camera/getPresenceWindows",
        "camera/getRecordedSpans",
        "camera/getRecordingSettings",
        "camera/getSharedStreamViewers",
        "camera/getSharedStreamVisibility",
        "camera/getSnapshot",
        "camera/getStreamCounters",
        "camera/getUptimeHistory",
        "camera/getUptimeWindows",
        "camera/getVideoWalls",
        "camera/startRecording",
        "camera/stopRecording",
        "camera/unblockSharedStreamAddress",
        "camera/updateSharedLiveVideoStream",
        "camera/updateSharedVideoWall",
        "camera/updateVideoWalls",
        "climate/getMinimalClimateStateList",
        "climate/getMinimalEnvironmentalGatewayStates",
        "component/elevator/findAccessControlledElevatorLandingShadows",
        "component/elevator/findAccessControlledElevatorLandingShadowsByLocation",
        "component/elevator/findAccessControlledElevatorLandingsByLocation",
        "component/elevator/getAccessControlledElevatorLandingLabelsForOrg",
        "component/findAccessControlledDoors",
        "component/findAccessControlledDoorsByOwnerDevice",
        "component/findComponentEventsByAccessControlledDoor",
        "component/findComponentEventsByLocation",
        "component/findComponentEventsByUser",
        "component/findPaginatedComponentEventsByAccessControlledDoor",
        "door/getMinimalDoorStateList",
        "doorbellcamera/createSharedLiveVideoStream",
        "doorbellcamera/deleteSharedLiveVideoStream",
        "doorbellcamera/findSharedLiveVideoStreams",
        "doorbellcamera/getMediaUris",
        "doorbellcamera/getMinimalStateList",
        "event/acknowledgePolicyAlert",
        "event/createClipDownload",
        "event/createSharedClipGroupV3",
        "event/deleteSavedClip",
        "event/deleteSharedClipGroupV2",
        "event/dismissPolicyAlertV2",
        "event/getClipGroupsForOrg",
        "event/getClipWithProgress",
        "event/getClipsWithProgress",
        "event/getExpiringClipsForOrg",
        "event/getExpiringPolicyAlerts",
        "event/getPolicyAlert",
        "event/getPolicyAlertDetails",
        "event/getPolicyAlertGroupsV2",
        "event/getPolicyAlerts",
        "event/getPolicyAlertsV2",
        "event/getSavedClipCount",
        "event/getSavedClipDetails",
        "event/getSavedClips",
        "event/getSavedClipsV2",
        "event/getSharedClipGroupDetails",
        "event/getSharedClipGroupsV2",
        "event/getSplicedClipsInProgress",
        "event/getTimelineEvents",
        "event/getUnhealthyDeviceAlerts",
        "event/savePolicyAlertV2",
        "event/updateSavedClip",
        "event/updateSharedClipGroupV2",
        "export/diagnostic",
        "keypad/getKeypadsForOrg",
        "location/getLocationLabelsForOrg",
        "location/getLocations",
        "location/getLocationsV2",
        "occupancy/getMinimalOccupancySensorStateList",
        "partner/getLicensesForOrg",
        "permission/getPermissionsForCurrentUser",
        "policy/createSchedule",
        "policy/deleteSchedule",
        "policy/findSchedules",
        "policy/getClimatePolicies",
        "policy/getPoliciesUsingSchedule",
        "policy/pauseAlertPolicyForComponentComposite",
        "policy/updateSchedule",
        "rapidsos/getNearbyFeeds",
        "relay/getAssignedThirdPartyCameras",
        "relay/getDetails",
        "relay/getFullNVRState",
        "relay/getMinimalNVRStateList",
        "relay/getMinimalThirdPartyCameraStateList",
        "relay/getPtzStatus",
        "relay/getUptimeWindows",
        "relay/gotoPtzPreset",
        "relay/movePtz",
        "relay/removePtzPreset",
        "relay/setPtzPreset",
        "relay/stopPtz",
        "report/findAuditEvents",
        "report/getAuditFeed",
        "report/getAuditFeedForPrincipal",
        "report/getAuditFeedForTarget",
        "report/getBatchThresholdCrossingCountReport",
        "report/getCountReportV2",
        "report/getCountReportsForDevicesAtLocation",
        "report/getDiagnosticFeed",
        "report/getMostRecentPeopleCountEvents",
        "report/getOccupancyCounts",
        "report/getOccupancyCountsV2",
        "report/getPosEventsTableAllLocations",
        "report/getRunningAverage",
        "report/getThresholdCrossingCountReport",
        "report/getThresholdCrossingCountReportForOrg",
        "report/getThresholdCrossingEvents",
        "report/getThresholdCrossingEventsForDevice",
        "schedule/createAbsoluteSchedule",
        "schedule/createRealtimeRelativeSchedule",
        "schedule/createRelativeDateTimeSchedule",
        "schedule/createWeeklySchedule",
        "schedule/deleteSchedule",
        "schedule/findAbsoluteSchedule",
        "schedule/findRealtimeRelativeSchedule",
        "schedule/findRelativeDateTimeSchedule",
        "schedule/findWeeklySchedule",
        "schedule/getScheduleDataV2",
        "schedule/getScheduleState",
        "schedule/getScheduleUses",
        "schedule/getSchedules",
        "schedule/updateAbsoluteSchedule",
        "video/cancelSpliceV2",
        "video/createSharedTimelapseGroup",
        "video/deleteSharedTimelapseGroup",
        "video/deleteTimelapseClips",
        "video/generateTimelapseClip",
        "video/getExactFrameData",
        "video/getExactFrameUri",
        "video/getSharedTimelapseGroups",
        "video/getSplicedClipsInProgress",
        "video/getTimelapseClips",
        "video/retrySplice",
        "video/spliceV2",
        "video/spliceV3",
        "video/updateSharedTimelapseGroup",
      ]
    `);
  });

  it('is refused if no one has thought of it', () => {
    expect(scopeTreatmentOf('/api/camera/explodeCamera')).toBe('refused');
  });

  it('that needs the role admin is refused', () => {
    const open = ENDPOINTS.filter(
      ({ limited, role, isOpen }) => limited !== 'refused' && role === 'admin' && !isOpen,
    );
    expect(open.map(({ path }) => path)).toEqual([]);
  });

  it('is decided by name only if it exists', () => {
    const paths = new Set(ENDPOINTS.map(({ path }) => path));
    expect([...SCOPED_PATHS.difference(paths)]).toEqual([]);
  });
});
