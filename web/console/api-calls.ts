/**
 * What each call of the console sends, and what a success returns. Generated from the endpoints by `npm run docs`, for each
 * path that stands in this folder.
 */

export interface ApiCalls {
  'accesscontrol/findLocationAccessRevocationsByOrg': {
    readonly request: object;
    readonly answer: {
      readonly accessRevocations: ReadonlyArray<{
        readonly uuid: string;
        readonly orgUuid: string;
        readonly locationUuid?: string;
        readonly name: string;
        readonly createdAtMillis: number;
        readonly updatedAtMillis: number;
        readonly scheduleUuid?: string;
        readonly sortKey?: string;
        readonly storedInS3?: boolean;
        readonly accessControlledDoorUuids?: ReadonlyArray<string>;
        readonly accessControlledElevatorLandingUuids?: ReadonlyArray<string>;
        readonly doorLabelIds?: ReadonlyArray<string>;
        readonly groupUuids?: ReadonlyArray<string>;
        readonly userUuids?: ReadonlyArray<string>;
      }>;
    };
  };
  'accesscontrol/lockdownPlan/createLockdownRuleForLocation': {
    readonly request: {
      readonly rule: {
        readonly ruleUuid?: string | undefined;
        readonly locationUuid: string;
        readonly ruleName: string;
        readonly triggerActivity?: string | undefined;
        readonly ruleFilters?: {
          readonly scheduleUuids?: ReadonlyArray<string> | undefined;
          readonly triggerBackoffSecs?: number | undefined;
        } | undefined;
        readonly action: {
          readonly activateLocationLockdown?: {
            readonly locationLockdownPlanUuid?: string | undefined;
            readonly locationUuid?: string | undefined;
          } | undefined;
          readonly alertAction?: boolean | undefined;
          readonly liveNotificationAction?: boolean | undefined;
          readonly audioPlaybackActions?: ReadonlyArray<{
            readonly audioClipUuid?: string | undefined;
            readonly audioGateways?: ReadonlyArray<string> | undefined;
            readonly loopDurationSec?: number | undefined;
            readonly playCount?: number | undefined;
          }> | undefined;
          readonly cancelLoopingAudioPlaybackAction?: {
            readonly _audioDevices?: ReadonlyArray<string> | undefined;
            readonly audioDevices?: ReadonlyArray<string> | undefined;
          } | undefined;
          readonly changeComponentCompositeAccessStateActions?: ReadonlyArray<{
            readonly componentCompositeUuid: string;
            readonly accessState?: 'UNLOCKED' | 'ACCESS_CONTROLLED' | undefined;
            readonly expirationStrategy?: 'TIME_DELAY' | 'TIME_OF_DAY_LOCAL' | 'NONE' | undefined;
            readonly expireTimeDelaySeconds?: number | undefined;
            readonly expireTimeOfDayLocalSeconds?: number | undefined;
            readonly alwaysCreateOverrideIfNoFirstIn?: boolean | undefined;
            readonly useFirstInRulesIfPossible?: boolean | undefined;
            readonly version?: number | undefined;
          }> | undefined;
          readonly connectAudioDeviceToPhoneNumberAction?: {
            readonly audioDeviceUuid?: string | undefined;
            readonly deviceType?: string | undefined;
            readonly doorUuid?: string | undefined;
            readonly optionalGreeting?: string | undefined;
            readonly phoneNumber?: string | undefined;
          } | undefined;
          readonly customActions?: ReadonlyArray<{
            readonly headers?: Readonly<Record<string, string>> | undefined;
            readonly path?: string | undefined;
          }> | undefined;
          readonly customLLMActions?: ReadonlyArray<{
            readonly deviceActivityEvents?: Readonly<Record<string, unknown>> | undefined;
            readonly deviceFacetUuids?: ReadonlyArray<string> | undefined;
            readonly orgUuid?: string | undefined;
            readonly promptUuid?: string | undefined;
            readonly timestampMs?: number | undefined;
          }> | undefined;
          readonly enableDisableAudioRecordActions?: ReadonlyArray<{
            readonly audioDeviceUuid?: string | undefined;
            readonly enable?: boolean | undefined;
          }> | undefined;
          readonly integrationCommandActions?: ReadonlyArray<{
            readonly commandPayload?: string | undefined;
            readonly delaySecs?: number | undefined;
            readonly integration?: string | undefined;
          }> | undefined;
          readonly integrationNotificationActions?: ReadonlyArray<{
            readonly integration?: string | undefined;
            readonly notificationEntity?: string | undefined;
            readonly notificationTarget?: string | undefined;
          }> | undefined;
          readonly remoteDoorUnlockActions?: ReadonlyArray<{
            readonly doorId?: string | undefined;
            readonly placeId?: string | undefined;
            readonly system?: string | undefined;
          }> | undefined;
          readonly robotActions?: ReadonlyArray<{
            readonly deviceUuid?: string | undefined;
            readonly mapUuid?: string | undefined;
            readonly routeUuid?: string | undefined;
            readonly waypointUuid?: string | undefined;
            readonly pose?: {
              readonly orientation?: ReadonlyArray<number> | undefined;
              readonly position?: ReadonlyArray<number> | undefined;
            } | undefined;
          }> | undefined;
          readonly thirdPartyAudioPlaybackAction?: {
            readonly audioFileName?: string | undefined;
            readonly ipAddress?: string | undefined;
            readonly username?: string | undefined;
            readonly password?: string | undefined;
            readonly loopDurationSec?: number | undefined;
            readonly playCount?: number | undefined;
            readonly proxyDeviceUuid?: string | undefined;
          } | undefined;
          readonly triggerComponentRelayActions?: ReadonlyArray<{
            readonly componentUuid?: string | undefined;
            readonly ownerDeviceUuid?: string | undefined;
            readonly outputType?: 'TRANSIENT' | 'STEADY' | undefined;
            readonly overrideRelayDurationMs?: number | undefined;
            readonly overrideRelayDurationSec?: number | undefined;
            readonly state?: 'ACTIVE' | 'INACTIVE' | 'UNKNOWN' | undefined;
            readonly version?: number | undefined;
          }> | undefined;
          readonly webhookActions?: ReadonlyArray<{
            readonly webhookUrl: string;
            readonly headers?: Readonly<Record<string, string>> | undefined;
            readonly oauthUrl?: string | undefined;
            readonly oauthClientId?: string | undefined;
            readonly oauthClientSecret?: string | undefined;
            readonly oauthGrantType?: string | undefined;
            readonly oauthScope?: string | undefined;
          }> | undefined;
        };
      };
    };
    readonly answer: {
      readonly ruleUuid: string;
    };
  };
  'accesscontrol/lockdownPlan/deleteLockdownRule': {
    readonly request: {
      readonly ruleUuid: string;
    };
    readonly answer: object;
  };
  'accesscontrol/lockdownPlan/findLockdownRulesByLocation': {
    readonly request: {
      readonly locationUuid: string;
    };
    readonly answer: {
      readonly rules: ReadonlyArray<{
        readonly ruleUuid: string;
        readonly locationUuid?: string;
        readonly ruleName: string;
        readonly triggerActivity?: string;
        readonly ruleFilters: {
          readonly scheduleUuids?: ReadonlyArray<string>;
          readonly triggerBackoffSecs?: number;
        };
        readonly action: {
          readonly activateLocationLockdown?: {
            readonly locationLockdownPlanUuid?: string;
            readonly locationUuid?: string;
          };
          readonly alertAction?: boolean;
          readonly liveNotificationAction?: boolean;
          readonly audioPlaybackActions?: ReadonlyArray<{
            readonly audioClipUuid?: string;
            readonly audioGateways?: ReadonlyArray<string>;
            readonly loopDurationSec?: number;
            readonly playCount?: number;
          }>;
          readonly cancelLoopingAudioPlaybackAction?: {
            readonly _audioDevices?: ReadonlyArray<string>;
            readonly audioDevices?: ReadonlyArray<string>;
          };
          readonly changeComponentCompositeAccessStateActions?: ReadonlyArray<{
            readonly componentCompositeUuid: string;
            readonly accessState?: 'UNLOCKED' | 'ACCESS_CONTROLLED';
            readonly expirationStrategy?: 'TIME_DELAY' | 'TIME_OF_DAY_LOCAL' | 'NONE';
            readonly expireTimeDelaySeconds?: number;
            readonly expireTimeOfDayLocalSeconds?: number;
            readonly alwaysCreateOverrideIfNoFirstIn?: boolean;
            readonly useFirstInRulesIfPossible?: boolean;
            readonly version?: number;
          }>;
          readonly connectAudioDeviceToPhoneNumberAction?: {
            readonly audioDeviceUuid?: string;
            readonly deviceType?: string;
            readonly doorUuid?: string;
            readonly optionalGreeting?: string;
            readonly phoneNumber?: string;
          };
          readonly customActions?: ReadonlyArray<{
            readonly headers?: Readonly<Record<string, string>>;
            readonly path?: string;
          }>;
          readonly customLLMActions?: ReadonlyArray<{
            readonly deviceActivityEvents?: Readonly<Record<string, unknown>>;
            readonly deviceFacetUuids?: ReadonlyArray<string>;
            readonly orgUuid?: string;
            readonly promptUuid?: string;
            readonly timestampMs?: number;
          }>;
          readonly enableDisableAudioRecordActions?: ReadonlyArray<{
            readonly audioDeviceUuid?: string;
            readonly enable?: boolean;
          }>;
          readonly integrationCommandActions?: ReadonlyArray<{
            readonly commandPayload?: string;
            readonly delaySecs?: number;
            readonly integration?: string;
          }>;
          readonly integrationNotificationActions?: ReadonlyArray<{
            readonly integration?: string;
            readonly notificationEntity?: string;
            readonly notificationTarget?: string;
          }>;
          readonly remoteDoorUnlockActions?: ReadonlyArray<{
            readonly doorId?: string;
            readonly placeId?: string;
            readonly system?: string;
          }>;
          readonly robotActions?: ReadonlyArray<{
            readonly deviceUuid?: string;
            readonly mapUuid?: string;
            readonly routeUuid?: string;
            readonly waypointUuid?: string;
            readonly pose?: {
              readonly orientation?: ReadonlyArray<number>;
              readonly position?: ReadonlyArray<number>;
            };
          }>;
          readonly thirdPartyAudioPlaybackAction?: {
            readonly audioFileName?: string;
            readonly ipAddress?: string;
            readonly username?: string;
            readonly password?: string;
            readonly loopDurationSec?: number;
            readonly playCount?: number;
            readonly proxyDeviceUuid?: string;
          };
          readonly triggerComponentRelayActions?: ReadonlyArray<{
            readonly componentUuid?: string;
            readonly ownerDeviceUuid?: string;
            readonly outputType?: 'TRANSIENT' | 'STEADY';
            readonly overrideRelayDurationMs?: number;
            readonly overrideRelayDurationSec?: number;
            readonly state?: 'ACTIVE' | 'INACTIVE' | 'UNKNOWN';
            readonly version?: number;
          }>;
          readonly webhookActions?: ReadonlyArray<{
            readonly webhookUrl: string;
            readonly headers?: Readonly<Record<string, string>>;
            readonly oauthUrl?: string;
            readonly oauthClientId?: string;
            readonly oauthClientSecret?: string;
            readonly oauthGrantType?: string;
            readonly oauthScope?: string;
          }>;
        };
        readonly lastRunAtMillis?: number;
      }>;
    };
  };
  'camera/bulkUpdateSharedStreams': {
    readonly request: {
      readonly sharedLiveVideoStreamUuids: ReadonlyArray<string>;
      readonly action: 'DELETE' | 'SET_EXPIRATION' | 'REMOVE_EXPIRATION';
      readonly expirationTimeSecs?: number | undefined;
      readonly ssoProtected?: false | undefined;
    };
    readonly answer: {
      readonly results: ReadonlyArray<{
        readonly uuid: string;
        readonly errorMsg?: string;
      }>;
      readonly changedCount: number;
    };
  };
  'camera/createCamera': {
    readonly request: {
      readonly name: string;
      readonly nvrUuid?: string | undefined;
      readonly locationUuid?: string | undefined;
      readonly mainUrl: string;
      readonly substreamUrl?: string | undefined;
      readonly onvifUrl?: string | undefined;
      readonly username?: string | undefined;
      readonly password?: string | undefined;
      readonly engine?: 'auto' | 'direct' | 'ffmpeg' | undefined;
      readonly transport?: 'auto' | 'tcp' | 'udp' | 'multicast' | 'http' | undefined;
      readonly audio?: 'auto' | 'aac' | 'off' | undefined;
      readonly clock?: 'arrival' | 'camera' | undefined;
      readonly tls?: string | undefined;
    };
    readonly answer: {
      readonly cameraUuid: string;
    };
  };
  'camera/createCustomFootageSeekpoints': {
    readonly request: {
      readonly cameraUuid: string;
      readonly footageSeekPoints: ReadonlyArray<{
        readonly timestampMs: number;
        readonly name: string;
        readonly description?: string | undefined;
        readonly color?: 'BLUE' | 'RED' | 'PURPLE' | 'TAN' | 'ORANGE' | 'TEAL' | 'GRAY' | 'BLACK' | undefined;
        readonly displayOverlay?: boolean | undefined;
      }>;
    };
    readonly answer: object;
  };
  'camera/createPreviewGrant': {
    readonly request: {
      readonly cameraUuid: string;
      readonly grant?: string | undefined;
    };
    readonly answer: {
      readonly grant: string;
      readonly pageUrl: string;
      readonly playlistUrl: string;
      readonly webSocketUrl: string;
      readonly substreamWebSocketUrl?: string;
      readonly endsAtMs: number;
    };
  };
  'camera/createProtectedSharedLiveVideoStream': {
    readonly request: {
      readonly cameraUuid: string;
      readonly streamType?: 'USER' | 'ALARM_MONITORING' | 'DICE' | 'LUMEO' | 'INFORMACAST' | 'RAPIDSOS' | 'UNKNOWN' | undefined;
      readonly vodEnabled?: boolean | undefined;
      readonly audioGatewayUuid?: string | undefined;
      readonly expirationTimeSecs?: number | undefined;
      readonly invertSchedule?: boolean | undefined;
      readonly name?: string | undefined;
      readonly password: string;
      readonly scheduleUuid?: string | undefined;
      readonly showsUnmasked?: boolean | undefined;
      readonly vodPastSecs?: number | undefined;
      readonly vodExpirationTimeSecs?: number | undefined;
      readonly includeAudio?: boolean | undefined;
      readonly talk?: boolean | undefined;
      readonly ssoProtected?: boolean | undefined;
      readonly cdn?: boolean | undefined;
    };
    readonly answer: {
      readonly sharedLiveVideoStreamUuid: string;
      readonly sharedLiveVideoStreamUrl: string;
      readonly sharedLiveM3U8StreamUrl: string;
      readonly sharedLiveRtspStreamUrl?: string;
    };
  };
  'camera/createProtectedSharedVideoWall': {
    readonly request: {
      readonly videoWallUuid: string;
      readonly expirationTimeSecs?: number | undefined;
      readonly password: string;
      readonly scheduleUuid?: string | undefined;
      readonly invertSchedule?: boolean | undefined;
      readonly unscheduledMessage?: string | undefined;
      readonly deviceScheduleMap?: Readonly<Record<string, {
        readonly scheduleUuid?: string | undefined;
        readonly invertSchedule?: boolean | undefined;
        readonly unscheduledMessage?: string | undefined;
      }>> | undefined;
      readonly vodEnabled?: boolean | undefined;
      readonly showsUnmasked?: boolean | undefined;
      readonly vodPastSecs?: number | undefined;
      readonly vodExpirationTimeSecs?: number | undefined;
      readonly ssoProtected?: false | undefined;
    };
    readonly answer: {
      readonly sharedLiveVideoStreamUuid: string;
      readonly sharedLiveVideoStreamUrl: string;
    };
  };
  'camera/createSharedLiveVideoStream': {
    readonly request: {
      readonly cameraUuid: string;
      readonly streamType?: 'USER' | 'ALARM_MONITORING' | 'DICE' | 'LUMEO' | 'INFORMACAST' | 'RAPIDSOS' | 'UNKNOWN' | undefined;
      readonly vodEnabled?: boolean | undefined;
      readonly audioGatewayUuid?: string | undefined;
      readonly expirationTimeSecs?: number | undefined;
      readonly invertSchedule?: boolean | undefined;
      readonly name?: string | undefined;
      readonly password?: string | undefined;
      readonly scheduleUuid?: string | undefined;
      readonly showsUnmasked?: boolean | undefined;
      readonly vodPastSecs?: number | undefined;
      readonly vodExpirationTimeSecs?: number | undefined;
      readonly includeAudio?: boolean | undefined;
      readonly talk?: boolean | undefined;
      readonly ssoProtected?: boolean | undefined;
      readonly cdn?: boolean | undefined;
    };
    readonly answer: {
      readonly sharedLiveVideoStreamUuid: string;
      readonly sharedLiveVideoStreamUrl: string;
      readonly sharedLiveM3U8StreamUrl: string;
      readonly sharedLiveRtspStreamUrl?: string;
    };
  };
  'camera/createSharedVideoWall': {
    readonly request: {
      readonly videoWallUuid: string;
      readonly expirationTimeSecs?: number | undefined;
      readonly password?: string | undefined;
      readonly scheduleUuid?: string | undefined;
      readonly invertSchedule?: boolean | undefined;
      readonly unscheduledMessage?: string | undefined;
      readonly deviceScheduleMap?: Readonly<Record<string, {
        readonly scheduleUuid?: string | undefined;
        readonly invertSchedule?: boolean | undefined;
        readonly unscheduledMessage?: string | undefined;
      }>> | undefined;
      readonly vodEnabled?: boolean | undefined;
      readonly showsUnmasked?: boolean | undefined;
      readonly vodPastSecs?: number | undefined;
      readonly vodExpirationTimeSecs?: number | undefined;
      readonly ssoProtected?: false | undefined;
    };
    readonly answer: {
      readonly sharedLiveVideoStreamUuid: string;
      readonly sharedLiveVideoStreamUrl: string;
    };
  };
  'camera/createVideoWall': {
    readonly request: {
      readonly videoWall: {
        readonly uuid?: string | undefined;
        readonly orgUuid?: string | undefined;
        readonly displayName?: string | undefined;
        readonly deviceList?: ReadonlyArray<string> | undefined;
        readonly settings?: Readonly<Record<string, unknown>> | undefined;
        readonly layout?: {
          readonly kind: 'AUTOMATIC' | 'ONE_PLUS_FIVE' | 'TWO_BY_TWO' | 'THREE_BY_THREE' | 'FOUR_BY_FOUR' | 'FREE';
          readonly cells?: ReadonlyArray<{
            readonly cameraUuid: string;
            readonly x: number;
            readonly y: number;
            readonly width: number;
            readonly height: number;
          }> | undefined;
          readonly tourSec?: number | undefined;
        } | undefined;
        readonly shared?: boolean | undefined;
        readonly othersCanEdit?: boolean | undefined;
        readonly ownerUserUuid?: string | undefined;
      };
    };
    readonly answer: {
      readonly uuid: string;
    };
  };
  'camera/delete': {
    readonly request: {
      readonly cameraUuid: string;
      readonly mummify?: boolean | undefined;
    };
    readonly answer: {
      readonly responseStatus: 'BASIC_AUTH_FAILED' | 'PASSWORD_MISMATCH' | 'SAME_PASSWORD' | 'USER_EXISTS' | 'USER_NOT_FOUND' | 'DEVICE_NOT_FOUND' | 'POLICY_NOT_FOUND' | 'LOCATION_NOT_FOUND' | 'ORG_NOT_FOUND' | 'BAD_INPUT' | 'SUCCESS' | 'PASSWORD_TOO_SHORT';
    };
  };
  'camera/deleteCustomFootageSeekpoints': {
    readonly request: {
      readonly cameraUuids: ReadonlyArray<string>;
      readonly startTimestampMs: number;
      readonly endTimestampMs: number;
      readonly customName?: string | undefined;
    };
    readonly answer: {
      readonly deleteSeekpointResponseMap: Readonly<Record<string, {
        readonly err: boolean;
        readonly errMsg?: string;
      }>>;
    };
  };
  'camera/deleteSharedLiveVideoStream': {
    readonly request: {
      readonly uuid: string;
      readonly cameraUuid?: string | undefined;
    };
    readonly answer: object;
  };
  'camera/deleteSharedVideoWall': {
    readonly request: {
      readonly uuid: string;
      readonly videoWallUuid?: string | undefined;
    };
    readonly answer: object;
  };
  'camera/deleteVideoWall': {
    readonly request: {
      readonly uuid: string;
    };
    readonly answer: object;
  };
  'camera/endCameraPause': {
    readonly request: {
      readonly cameraUuid: string;
    };
    readonly answer: object;
  };
  'camera/endSharedStreamViewer': {
    readonly request: {
      readonly sharedLiveVideoStreamUuid: string;
      readonly viewerId: string;
      readonly blockMinutes?: number | undefined;
    };
    readonly answer: {
      readonly endedCount: number;
      readonly blockedAddress?: {
        readonly address: string;
        readonly untilMs: number;
      };
    };
  };
  'camera/findSharedStreamCreators': {
    readonly request: object;
    readonly answer: {
      readonly creators: ReadonlyArray<{
        readonly creatorUuid: string;
        readonly creatorName: string;
      }>;
    };
  };
  'camera/findSharedStreams': {
    readonly request: {
      readonly text?: string | undefined;
      readonly states?: ReadonlyArray<'VISIBLE' | 'HIDDEN' | 'EXPIRED' | 'CAMERA_REMOVED'> | undefined;
      readonly kinds?: ReadonlyArray<'STREAM' | 'WALL' | 'CLIP_GROUP' | 'TIMELAPSE_GROUP'> | undefined;
      readonly uuids?: ReadonlyArray<string> | undefined;
      readonly cameraUuid?: string | undefined;
      readonly locationUuid?: string | undefined;
      readonly scheduleUuid?: string | undefined;
      readonly creatorUuid?: string | undefined;
      readonly passwordProtected?: boolean | undefined;
      readonly expiresBefore?: number | undefined;
      readonly order?: 'CREATED' | 'NAME' | 'CAMERA' | 'EXPIRATION' | 'STATE' | undefined;
      readonly isDescending?: boolean | undefined;
      readonly withStateCounts?: boolean | undefined;
      readonly offset?: number | undefined;
      readonly limit?: number | undefined;
    };
    readonly answer: {
      readonly sharedStreams: ReadonlyArray<{
        readonly kind: 'STREAM' | 'WALL' | 'CLIP_GROUP' | 'TIMELAPSE_GROUP';
        readonly uuid: string;
        readonly name: string;
        readonly cameraUuid?: string;
        readonly cameraName: string;
        readonly cameraCount?: number;
        readonly videoWallUuid?: string;
        readonly timeZones: ReadonlyArray<string>;
        readonly locationUuid?: string;
        readonly locationName: string;
        readonly state: 'VISIBLE' | 'HIDDEN' | 'EXPIRED' | 'CAMERA_REMOVED';
        readonly reason?: 'expired' | 'hidden-by-schedule' | 'device-removed';
        readonly nextChange?: {
          readonly atMs: number;
          readonly isVisible: boolean;
          readonly reason?: 'expired' | 'hidden-by-schedule' | 'device-removed';
        };
        readonly viewerCount: number;
        readonly lastViewedAtMs?: number;
        readonly scheduleUuid?: string;
        readonly scheduleName?: string;
        readonly invertSchedule: boolean;
        readonly expirationTime?: number;
        readonly passwordProtected: boolean;
        readonly ssoProtected: boolean;
        readonly cdn?: boolean;
        readonly talk?: boolean;
        readonly showsUnmasked: boolean;
        readonly vodEnabled: boolean;
        readonly vodPastSecs?: number;
        readonly vodExpirationTime?: number;
        readonly createdAtMs: number;
        readonly creatorUuid?: string;
        readonly creatorName?: string;
        readonly creatorLeft: boolean;
        readonly pageUrl: string;
        readonly m3u8Url?: string;
        readonly mpdUrl?: string;
        readonly rtspUrl?: string;
      }>;
      readonly totalCount: number;
      readonly stateCounts?: {
        readonly visible: number;
        readonly hidden: number;
        readonly expired: number;
        readonly cameraRemoved: number;
        readonly endingWithinDay: number;
      };
    };
  };
  'camera/findSharedVideoWalls': {
    readonly request: {
      readonly videoWallUuid?: string | undefined;
    };
    readonly answer: {
      readonly sharedVideoWalls: ReadonlyArray<{
        readonly uuid: string;
        readonly orgUuid: string;
        readonly videoWallUuid: string;
        readonly sharedVideoWallUrl: string;
        readonly timestampMs: number;
        readonly expirationTime?: number;
        readonly passwordProtected: boolean;
        readonly scheduleUuid?: string;
        readonly invertSchedule: boolean;
        readonly unscheduledMessage?: string;
        readonly deviceScheduleMap: Readonly<Record<string, {
          readonly scheduleUuid?: string;
          readonly invertSchedule: boolean;
          readonly unscheduledMessage?: string;
        }>>;
        readonly vodEnabled: boolean;
        readonly showsUnmasked: boolean;
        readonly vodPastSecs?: number;
        readonly vodExpirationTime?: number;
        readonly hideOverlay: boolean;
        readonly permissionGroupUuid?: string;
      }>;
    };
  };
  'camera/getCameraPauses': {
    readonly request: object;
    readonly answer: {
      readonly pauses: ReadonlyArray<{
        readonly cameraUuid: string;
        readonly fromMs: number;
        readonly untilMs: number;
        readonly pausedBy: string;
      }>;
    };
  };
  'camera/getCameraSource': {
    readonly request: {
      readonly cameraUuid: string;
    };
    readonly answer: {
      readonly name: string;
      readonly locationUuid?: string;
      readonly nvrUuid?: string;
      readonly declared: boolean;
      readonly pushed: boolean;
      readonly source: {
        readonly mainUrl?: string;
        readonly substreamUrl?: string;
        readonly onvifUrl?: string;
        readonly username?: string;
        readonly hasPassword: boolean;
        readonly engine: 'auto' | 'direct' | 'ffmpeg';
        readonly transport: 'auto' | 'tcp' | 'udp' | 'multicast' | 'http';
        readonly audio: 'auto' | 'aac' | 'off';
        readonly clock: 'arrival' | 'camera';
        readonly tls: string;
      };
    };
  };
  'camera/getCameraStreamStates': {
    readonly request: {
      readonly cameraUuids?: ReadonlyArray<string> | undefined;
    };
    readonly answer: {
      readonly cameras: ReadonlyArray<{
        readonly cameraUuid: string;
        readonly name: string;
        readonly declared: boolean;
        readonly viewers: number;
        readonly signing?: {
          readonly state: 'none' | 'signed' | 'incomplete' | 'unverifiable' | 'changed' | 'stopped';
          readonly sinceMs?: number;
          readonly changedAtMs?: number;
          readonly reason?: 'units-missing' | 'units-changed' | 'order-changed' | 'signature-wrong' | 'no-certificate' | 'statement-lost' | 'statement-damaged';
          readonly trust?: 'trusted' | 'untrusted' | 'unknown';
          readonly subject?: string;
          readonly issuer?: string;
          readonly fingerprint?: string;
          readonly manufacturer?: string;
          readonly serialNumber?: string;
          readonly firmware?: string;
        };
        readonly main: {
          readonly state: 'not-checked' | 'connecting' | 'live' | 'reachable' | 'offline';
          readonly sinceMs?: number;
          readonly offlineSinceMs?: number;
          readonly checkedAtMs?: number;
          readonly errorCode?: string;
          readonly errorReason?: 'unreachable' | 'tls-failed' | 'wrong-password' | 'login-unsupported' | 'wrong-path' | 'busy' | 'refused' | 'not-allowed' | 'unsupported' | 'silent' | 'frozen' | 'flood' | 'disconnected' | 'protocol' | 'no-worker' | 'gateway';
          readonly errorSentence?: string;
          readonly errorAdvice?: string;
          readonly nextRetryMs?: number;
          readonly waitingBehind?: number;
          readonly codecs?: ReadonlyArray<string>;
          readonly width?: number;
          readonly height?: number;
          readonly frameRate?: number;
          readonly bitsPerSec?: number;
          readonly keyFrameDistanceSec?: number;
          readonly droppedFrames?: number;
          readonly clockDriftPpm?: number;
          readonly worker?: boolean;
        };
        readonly sub?: {
          readonly state: 'not-checked' | 'connecting' | 'live' | 'reachable' | 'offline';
          readonly sinceMs?: number;
          readonly offlineSinceMs?: number;
          readonly checkedAtMs?: number;
          readonly errorCode?: string;
          readonly errorReason?: 'unreachable' | 'tls-failed' | 'wrong-password' | 'login-unsupported' | 'wrong-path' | 'busy' | 'refused' | 'not-allowed' | 'unsupported' | 'silent' | 'frozen' | 'flood' | 'disconnected' | 'protocol' | 'no-worker' | 'gateway';
          readonly errorSentence?: string;
          readonly errorAdvice?: string;
          readonly nextRetryMs?: number;
          readonly waitingBehind?: number;
          readonly codecs?: ReadonlyArray<string>;
          readonly width?: number;
          readonly height?: number;
          readonly frameRate?: number;
          readonly bitsPerSec?: number;
          readonly keyFrameDistanceSec?: number;
          readonly droppedFrames?: number;
          readonly clockDriftPpm?: number;
          readonly worker?: boolean;
        };
      }>;
    };
  };
  'camera/getCameraUrlTemplates': {
    readonly request: object;
    readonly answer: {
      readonly templates: ReadonlyArray<{
        readonly vendor: string;
        readonly name: string;
        readonly scheme: 'rtsp' | 'rtsps';
        readonly port: number;
        readonly mainPath: string;
        readonly substreamPath?: string;
        readonly note?: string;
      }>;
    };
  };
  'camera/getFullCameraState': {
    readonly request: {
      readonly cameraUuid: string;
      readonly force?: boolean | undefined;
    };
    readonly answer: {
      readonly fullCameraState: {
        readonly uuid: string;
        readonly name: string;
        readonly serialNumber?: string;
        readonly createdAtMillis: number;
        readonly locationUuid?: string;
        readonly mummified: boolean;
        readonly liveStreamShared: boolean;
        readonly liveStreamsSharedCount: number;
        readonly connectionStatus?: 'RED' | 'ORANGE' | 'YELLOW' | 'GREEN';
        readonly connectionDetail?: {
          readonly state: 'not-checked' | 'connecting' | 'live' | 'reachable' | 'offline';
          readonly sinceMs?: number;
          readonly offlineSinceMs?: number;
          readonly checkedAtMs?: number;
          readonly retryAtMs?: number;
          readonly waiting?: {
            readonly ahead: number;
            readonly running: number;
            readonly maxWorkers: number;
          };
          readonly reason?: 'unreachable' | 'tls-failed' | 'wrong-password' | 'login-unsupported' | 'wrong-path' | 'busy' | 'refused' | 'not-allowed' | 'unsupported' | 'silent' | 'frozen' | 'flood' | 'disconnected' | 'protocol' | 'no-worker' | 'gateway';
          readonly code?: string;
          readonly message?: string;
          readonly advice?: string;
          readonly host?: string;
          readonly port?: number;
          readonly errno?: string;
          readonly substream?: {
            readonly state: 'not-checked' | 'connecting' | 'live' | 'reachable' | 'offline';
            readonly sinceMs?: number;
            readonly offlineSinceMs?: number;
            readonly checkedAtMs?: number;
            readonly retryAtMs?: number;
            readonly waiting?: {
              readonly ahead: number;
              readonly running: number;
              readonly maxWorkers: number;
            };
            readonly reason?: 'unreachable' | 'tls-failed' | 'wrong-password' | 'login-unsupported' | 'wrong-path' | 'busy' | 'refused' | 'not-allowed' | 'unsupported' | 'silent' | 'frozen' | 'flood' | 'disconnected' | 'protocol' | 'no-worker' | 'gateway';
            readonly code?: string;
            readonly message?: string;
            readonly advice?: string;
            readonly host?: string;
            readonly port?: number;
            readonly errno?: string;
          };
        };
        readonly healthStatus?: 'RED' | 'ORANGE' | 'YELLOW' | 'GREEN';
        readonly healthStatusDetails?: 'DISCONNECTED' | 'FIRMWARE_BEHIND' | 'NOT_RECORDING' | 'LINK_SPEED_LOW' | 'MALFUNCTIONING_MODULES' | 'CALIBRATING' | 'DELAYED' | 'NONE';
        readonly supportedFacets: ReadonlyArray<string>;
        readonly facetNameMap: Readonly<Record<string, string>>;
        readonly policyUuid?: string;
        readonly subLocationsHierarchyKey?: string;
        readonly floorNumber?: number;
        readonly directionRadians?: number;
        readonly latitude?: number;
        readonly longitude?: number;
        readonly defaultInterface?: string;
        readonly defaultInterfaceMac?: string;
        readonly externalIPAddress?: string;
        readonly firmwareVersion?: string;
        readonly firmwareUpdateInProgress?: boolean;
        readonly hwVariation?: string;
        readonly mediaRegion?: string;
        readonly region?: string;
        readonly mediaStorageDeviceUuid?: string;
        readonly ssid?: string;
        readonly wifiApMac?: string;
        readonly wifiBars?: number;
        readonly wifiSignalStrength?: number;
        readonly lanAddresses: ReadonlyArray<string>;
        readonly secondaryLanAddresses: ReadonlyArray<string>;
        readonly audioSupported?: boolean;
        readonly connectionTimestampMs?: number;
        readonly stateUpdatedTimestampMs: number;
        readonly onCameraState: Readonly<Record<string, {
          readonly streamState?: string;
          readonly sound?: string;
          readonly soundEncoding?: string;
          readonly soundOnly?: boolean;
          readonly recording?: string;
          readonly recordingReasons?: ReadonlyArray<'always' | 'schedule' | 'events' | 'shares' | 'manual'>;
          readonly recordingCode?: string;
          readonly clock?: 'sane' | 'no-reports' | 'settling' | 'off' | 'drifting' | 'unsteady' | 'unrelated' | 'jumpy';
          readonly clockSource?: 'arrival' | 'camera';
          readonly clockOffsetMs?: number;
          readonly clockDriftPpm?: number;
          readonly clockUncertaintyMs?: number;
          readonly clockJumps?: number;
          readonly onvifClockOffsetMs?: number;
          readonly signing?: {
            readonly state: 'none' | 'signed' | 'incomplete' | 'unverifiable' | 'changed' | 'stopped';
            readonly sinceMs?: number;
            readonly changedAtMs?: number;
            readonly reason?: 'units-missing' | 'units-changed' | 'order-changed' | 'signature-wrong' | 'no-certificate' | 'statement-lost' | 'statement-damaged';
            readonly trust?: 'trusted' | 'untrusted' | 'unknown';
            readonly subject?: string;
            readonly issuer?: string;
            readonly fingerprint?: string;
            readonly manufacturer?: string;
            readonly serialNumber?: string;
            readonly firmware?: string;
          };
          readonly talk?: {
            readonly canTalk: boolean;
            readonly authorized: boolean;
            readonly licensed: boolean;
            readonly speakerEnabled: boolean;
            readonly connected: boolean;
            readonly interactionMode: 'hold';
            readonly reason?: 'not-authorized' | 'device-unavailable' | 'capability-unavailable';
          };
          readonly hasPublishKey?: boolean;
          readonly rtspUrlStatus?: string;
          readonly codec?: string;
          readonly width?: number;
          readonly height?: number;
          readonly frameRate?: number;
        }>>;
        readonly onCloudState: Readonly<Record<string, unknown>>;
        readonly afSupport?: boolean;
        readonly baseVideoOperationUri?: string;
        readonly latestFirmwareVersion?: string;
        readonly maxZoomPercent?: number;
        readonly versionsBehind?: number;
      };
    };
  };
  'camera/getMinimalCameraStateList': {
    readonly request: {
      readonly includeMummified?: boolean | undefined;
    };
    readonly answer: {
      readonly cameraStates: ReadonlyArray<{
        readonly uuid: string;
        readonly name: string;
        readonly serialNumber?: string;
        readonly createdAtMillis: number;
        readonly locationUuid?: string;
        readonly mummified: boolean;
        readonly liveStreamShared: boolean;
        readonly liveStreamsSharedCount: number;
        readonly connectionStatus?: 'RED' | 'ORANGE' | 'YELLOW' | 'GREEN';
        readonly connectionDetail?: {
          readonly state: 'not-checked' | 'connecting' | 'live' | 'reachable' | 'offline';
          readonly sinceMs?: number;
          readonly offlineSinceMs?: number;
          readonly checkedAtMs?: number;
          readonly retryAtMs?: number;
          readonly waiting?: {
            readonly ahead: number;
            readonly running: number;
            readonly maxWorkers: number;
          };
          readonly reason?: 'unreachable' | 'tls-failed' | 'wrong-password' | 'login-unsupported' | 'wrong-path' | 'busy' | 'refused' | 'not-allowed' | 'unsupported' | 'silent' | 'frozen' | 'flood' | 'disconnected' | 'protocol' | 'no-worker' | 'gateway';
          readonly code?: string;
          readonly message?: string;
          readonly advice?: string;
          readonly host?: string;
          readonly port?: number;
          readonly errno?: string;
          readonly substream?: {
            readonly state: 'not-checked' | 'connecting' | 'live' | 'reachable' | 'offline';
            readonly sinceMs?: number;
            readonly offlineSinceMs?: number;
            readonly checkedAtMs?: number;
            readonly retryAtMs?: number;
            readonly waiting?: {
              readonly ahead: number;
              readonly running: number;
              readonly maxWorkers: number;
            };
            readonly reason?: 'unreachable' | 'tls-failed' | 'wrong-password' | 'login-unsupported' | 'wrong-path' | 'busy' | 'refused' | 'not-allowed' | 'unsupported' | 'silent' | 'frozen' | 'flood' | 'disconnected' | 'protocol' | 'no-worker' | 'gateway';
            readonly code?: string;
            readonly message?: string;
            readonly advice?: string;
            readonly host?: string;
            readonly port?: number;
            readonly errno?: string;
          };
        };
        readonly healthStatus?: 'RED' | 'ORANGE' | 'YELLOW' | 'GREEN';
        readonly healthStatusDetails?: 'DISCONNECTED' | 'FIRMWARE_BEHIND' | 'NOT_RECORDING' | 'LINK_SPEED_LOW' | 'MALFUNCTIONING_MODULES' | 'CALIBRATING' | 'DELAYED' | 'NONE';
        readonly supportedFacets: ReadonlyArray<string>;
        readonly facetNameMap: Readonly<Record<string, string>>;
        readonly policyUuid?: string;
        readonly subLocationsHierarchyKey?: string;
        readonly floorNumber?: number;
        readonly directionRadians?: number;
        readonly latitude?: number;
        readonly longitude?: number;
        readonly defaultInterface?: string;
        readonly defaultInterfaceMac?: string;
        readonly externalIPAddress?: string;
        readonly firmwareVersion?: string;
        readonly firmwareUpdateInProgress?: boolean;
        readonly hwVariation?: string;
        readonly mediaRegion?: string;
        readonly region?: string;
        readonly mediaStorageDeviceUuid?: string;
        readonly ssid?: string;
        readonly wifiApMac?: string;
        readonly wifiBars?: number;
        readonly wifiSignalStrength?: number;
        readonly lanAddresses: ReadonlyArray<string>;
        readonly secondaryLanAddresses: ReadonlyArray<string>;
      }>;
    };
  };
  'camera/getPresenceWindows': {
    readonly request: {
      readonly cameraUuid: string;
      readonly startTimeSec: number;
      readonly durationSec: number;
    };
    readonly answer: {
      readonly presenceWindows: Readonly<Record<string, ReadonlyArray<{
        readonly startSeconds: number;
        readonly durationSeconds: number;
      }>>>;
    };
  };
  'camera/getPrivacyMasks': {
    readonly request: {
      readonly cameraUuid: string;
    };
    readonly answer: {
      readonly masks: ReadonlyArray<{
        readonly name: string;
        readonly points: ReadonlyArray<{
          readonly x: number;
          readonly y: number;
        }>;
      }>;
      readonly masksForViewers: boolean;
    };
  };
  'camera/getRecordedSpans': {
    readonly request: {
      readonly cameraUuids: ReadonlyArray<string>;
      readonly fromMs: number;
      readonly toMs: number;
      readonly joinMs?: number | undefined;
    };
    readonly answer: {
      readonly cameras: ReadonlyArray<{
        readonly cameraUuid: string;
        readonly spans: ReadonlyArray<{
          readonly fromMs: number;
          readonly toMs: number;
        }>;
        readonly pictures: ReadonlyArray<{
          readonly fromMs: number;
          readonly toMs: number;
        }>;
        readonly joinedMs: number;
      }>;
      readonly exact: boolean;
      readonly nowMs: number;
    };
  };
  'camera/getRecorderFootage': {
    readonly request: {
      readonly cameraUuids: ReadonlyArray<string>;
      readonly fromMs: number;
      readonly toMs: number;
    };
    readonly answer: {
      readonly cameras: ReadonlyArray<{
        readonly cameraUuid: string;
        readonly state: 'none' | 'idle' | 'waiting' | 'pulling' | 'failed';
        readonly waiting: number;
        readonly spans: ReadonlyArray<{
          readonly fromMs: number;
          readonly toMs: number;
        }>;
        readonly problem?: {
          readonly code: string;
          readonly message: string;
        };
      }>;
    };
  };
  'camera/getRecordingSettings': {
    readonly request: {
      readonly cameraUuid: string;
    };
    readonly answer: {
      readonly recording: 'off' | 'always' | 'schedule' | 'events';
      readonly streams?: 'main' | 'sub' | 'both';
      readonly scheduleUuid?: string;
      readonly scheduleTimes?: ReadonlyArray<{
        readonly minuteOfWeekStart: number;
        readonly minuteOfWeekStop: number;
      }>;
      readonly preRollSec?: number;
      readonly postRollSec?: number;
      readonly keepHours?: number;
      readonly keepSubHours?: number;
      readonly keepKeyFramesHours?: number;
      readonly maxBytes?: number;
      readonly defaults: {
        readonly streams: 'main' | 'sub' | 'both';
        readonly preRollSec: number;
        readonly postRollSec: number;
        readonly keepHours: number;
        readonly keepSubHours: number;
        readonly keepKeyFramesHours?: number;
        readonly maxBytes?: number;
      };
      readonly setInFile: ReadonlyArray<'recording' | 'streams' | 'schedule' | 'preRoll' | 'postRoll' | 'keep' | 'keepSub' | 'keepKeyFrames' | 'maxSize'>;
      readonly ignoredInFile: ReadonlyArray<'recording' | 'streams' | 'schedule' | 'preRoll' | 'postRoll' | 'keep' | 'keepSub' | 'keepKeyFrames' | 'maxSize'>;
      readonly state: 'off' | 'standby' | 'starting' | 'recording' | 'failed';
      readonly reasons: ReadonlyArray<'always' | 'schedule' | 'events' | 'shares' | 'manual'>;
      readonly code?: string;
      readonly manual?: {
        readonly startedAtMs: number;
        readonly endsAtMs: number;
        readonly startedBy: string;
      };
      readonly forecast?: {
        readonly bytesPerDay: number;
        readonly keptMs: number;
        readonly decidedBy: 'age' | 'cameraSize' | 'organizationSize' | 'disk';
      };
      readonly timeZone: string;
      readonly nowMs: number;
    };
  };
  'camera/getSharedStreamViewers': {
    readonly request: {
      readonly sharedLiveVideoStreamUuid: string;
    };
    readonly answer: {
      readonly viewers: ReadonlyArray<{
        readonly viewerId: string;
        readonly sinceMs: number;
        readonly lastRequestMs: number;
        readonly address: string;
        readonly userAgent: string;
        readonly protocol?: 'HLS' | 'DASH' | 'WEBSOCKET' | 'RTSP' | 'FILE';
        readonly stream?: 'MAIN' | 'SUB' | 'H264';
        readonly isInPast: boolean;
        readonly sentBytes: number;
        readonly isCounted: boolean;
        readonly cameraUuids: ReadonlyArray<string>;
      }>;
      readonly totalCount: number;
      readonly lastViewedAtMs?: number;
      readonly blockedAddresses: ReadonlyArray<{
        readonly address: string;
        readonly untilMs: number;
      }>;
    };
  };
  'camera/getSharedStreamVisibility': {
    readonly request: {
      readonly uuid: string;
      readonly atMs?: number | undefined;
    };
    readonly answer: {
      readonly kind: 'STREAM' | 'WALL' | 'CLIP_GROUP' | 'TIMELAPSE_GROUP';
      readonly atMs: number;
      readonly timeZone: string;
      readonly isVisible: boolean;
      readonly reason?: 'expired' | 'hidden-by-schedule' | 'device-removed';
      readonly sentence: string;
      readonly nextChange?: {
        readonly atMs: number;
        readonly isVisible: boolean;
        readonly reason?: 'expired' | 'hidden-by-schedule' | 'device-removed';
      };
      readonly passwordProtected: boolean;
      readonly cameras: ReadonlyArray<{
        readonly cameraUuid: string;
        readonly cameraName: string;
        readonly isVisible: boolean;
        readonly reason?: 'expired' | 'hidden-by-schedule' | 'device-removed';
        readonly sentence: string;
        readonly nextChange?: {
          readonly atMs: number;
          readonly isVisible: boolean;
          readonly reason?: 'expired' | 'hidden-by-schedule' | 'device-removed';
        };
      }>;
    };
  };
  'camera/getSnapshot': {
    readonly request: {
      readonly cameraUuid: string;
      readonly width?: number | undefined;
      readonly maxAgeSec?: number | undefined;
      readonly mayOpen?: boolean | undefined;
      readonly format?: 'jpeg' | 'webp' | 'avif' | undefined;
    };
    readonly answer: {
      readonly imageData: string;
      readonly contentType: string;
      readonly width: number;
      readonly height: number;
      readonly timestampMs: number;
      readonly live: boolean;
    };
  };
  'camera/getStreamCounters': {
    readonly request: {
      readonly cameraUuid: string;
      readonly profile?: 'main' | 'sub' | undefined;
      readonly sinceMs?: number | undefined;
    };
    readonly answer: {
      readonly intervalMs: number;
      readonly timesMs: ReadonlyArray<number>;
      readonly counters: Readonly<Record<string, unknown>>;
    };
  };
  'camera/getUptimeHistory': {
    readonly request: {
      readonly cameraUuid: string;
      readonly startTimeMs?: number | undefined;
      readonly endTimeMs?: number | undefined;
    };
    readonly answer: {
      readonly spans: ReadonlyArray<{
        readonly startMs: number;
        readonly endMs: number;
        readonly state: 'up' | 'down' | 'not-running' | 'unknown';
      }>;
    };
  };
  'camera/getVideoWalls': {
    readonly request: object;
    readonly answer: {
      readonly videoWalls: ReadonlyArray<{
        readonly uuid: string;
        readonly orgUuid: string;
        readonly displayName: string;
        readonly deviceList: ReadonlyArray<string>;
        readonly settings: Readonly<Record<string, unknown>>;
        readonly layout: {
          readonly kind: 'AUTOMATIC' | 'ONE_PLUS_FIVE' | 'TWO_BY_TWO' | 'THREE_BY_THREE' | 'FOUR_BY_FOUR' | 'FREE';
          readonly cells: ReadonlyArray<{
            readonly cameraUuid: string;
            readonly x: number;
            readonly y: number;
            readonly width: number;
            readonly height: number;
          }>;
          readonly tourSec: number;
        };
        readonly shared: boolean;
        readonly othersCanEdit: boolean;
        readonly ownerUserUuid?: string;
        readonly numShares: number;
        readonly numOpenShares: number;
        readonly hiddenCameras: number;
      }>;
      readonly userNameMap: Readonly<Record<string, string>>;
    };
  };
  'camera/inspectOnvifCamera': {
    readonly request: {
      readonly ipAddress: string;
      readonly tls?: string | undefined;
      readonly username?: string | undefined;
      readonly password?: string | undefined;
    };
    readonly answer: {
      readonly found: boolean;
      readonly loginRefused: boolean;
      readonly failureCode?: string;
      readonly failureSentence?: string;
      readonly onvifUrl?: string;
      readonly manufacturer?: string;
      readonly model?: string;
      readonly profiles: ReadonlyArray<{
        readonly profileToken: string;
        readonly codec?: string;
        readonly width?: number;
        readonly height?: number;
        readonly mainUrl: string;
        readonly substreamUrl?: string;
      }>;
      readonly channels: ReadonlyArray<{
        readonly sourceToken?: string;
        readonly name?: string;
        readonly profileToken?: string;
        readonly cameraUuid?: string;
      }>;
      readonly nvrUuid?: string;
    };
  };
  'camera/pauseCamera': {
    readonly request: {
      readonly cameraUuid: string;
      readonly durationSec?: number | undefined;
      readonly untilMs?: number | undefined;
    };
    readonly answer: {
      readonly pause: {
        readonly cameraUuid: string;
        readonly fromMs: number;
        readonly untilMs: number;
        readonly pausedBy: string;
      };
    };
  };
  'camera/probeCamera': {
    readonly request: {
      readonly cameraUuid?: string | undefined;
      readonly mainUrl?: string | undefined;
      readonly substreamUrl?: string | undefined;
      readonly onvifUrl?: string | undefined;
      readonly username?: string | undefined;
      readonly password?: string | undefined;
      readonly engine?: 'auto' | 'direct' | 'ffmpeg' | undefined;
      readonly transport?: 'auto' | 'tcp' | 'udp' | 'multicast' | 'http' | undefined;
      readonly audio?: 'auto' | 'aac' | 'off' | undefined;
      readonly clock?: 'arrival' | 'camera' | undefined;
      readonly tls?: string | undefined;
      readonly withSnapshot?: boolean | undefined;
      readonly isBrief?: boolean | undefined;
    };
    readonly answer: {
      readonly main: {
        readonly works: boolean;
        readonly errorCode?: string;
        readonly errorReason?: 'unreachable' | 'tls-failed' | 'wrong-password' | 'login-unsupported' | 'wrong-path' | 'busy' | 'refused' | 'not-allowed' | 'unsupported' | 'silent' | 'frozen' | 'flood' | 'disconnected' | 'protocol' | 'no-worker' | 'gateway';
        readonly errorSentence?: string;
        readonly errorAdvice?: string;
        readonly videoCodec?: string;
        readonly width?: number;
        readonly height?: number;
        readonly frameRate?: number;
        readonly bitsPerSec?: number;
        readonly keyFrameDistanceSec?: number;
        readonly audioCodec?: string;
        readonly transport?: 'tcp' | 'udp' | 'multicast' | 'http';
        readonly firstKeyFrameMs?: number;
        readonly needsWorker: boolean;
      };
      readonly sub?: {
        readonly works: boolean;
        readonly errorCode?: string;
        readonly errorReason?: 'unreachable' | 'tls-failed' | 'wrong-password' | 'login-unsupported' | 'wrong-path' | 'busy' | 'refused' | 'not-allowed' | 'unsupported' | 'silent' | 'frozen' | 'flood' | 'disconnected' | 'protocol' | 'no-worker' | 'gateway';
        readonly errorSentence?: string;
        readonly errorAdvice?: string;
        readonly videoCodec?: string;
        readonly width?: number;
        readonly height?: number;
        readonly frameRate?: number;
        readonly bitsPerSec?: number;
        readonly keyFrameDistanceSec?: number;
        readonly audioCodec?: string;
        readonly transport?: 'tcp' | 'udp' | 'multicast' | 'http';
        readonly firstKeyFrameMs?: number;
        readonly needsWorker: boolean;
      };
      readonly clockOffsetMs?: number;
      readonly advice: ReadonlyArray<{
        readonly code: 'KEY_FRAMES_RARE' | 'KEY_FRAMES_MISSING' | 'H265_WITHOUT_H264' | 'VIDEO_NEEDS_WORKER' | 'VIDEO_MISSING' | 'FRAME_RATE_LOW' | 'SUBSTREAM_MISSING' | 'SUBSTREAM_LARGER' | 'AUDIO_MISSING' | 'AUDIO_NEEDS_WORKER' | 'AUDIO_UNSUPPORTED' | 'CLOCK_OFF';
        readonly profile: 'main' | 'sub';
        readonly sentence: string;
      }>;
      readonly snapshot?: {
        readonly imageData: string;
        readonly width: number;
        readonly height: number;
      };
    };
  };
  'camera/scanOnvifCameras': {
    readonly request: object;
    readonly answer: {
      readonly cameras: ReadonlyArray<{
        readonly address: string;
        readonly https: boolean;
        readonly name?: string;
        readonly hardware?: string;
        readonly known: boolean;
      }>;
    };
  };
  'camera/setPrivacyMasks': {
    readonly request: {
      readonly cameraUuid: string;
      readonly masks: ReadonlyArray<{
        readonly name: string;
        readonly points: ReadonlyArray<{
          readonly x: number;
          readonly y: number;
        }>;
      }>;
      readonly masksForViewers?: boolean | undefined;
    };
    readonly answer: {
      readonly masks: ReadonlyArray<{
        readonly name: string;
        readonly points: ReadonlyArray<{
          readonly x: number;
          readonly y: number;
        }>;
      }>;
      readonly masksForViewers: boolean;
    };
  };
  'camera/startRecording': {
    readonly request: {
      readonly cameraUuid: string;
      readonly durationSec?: number | undefined;
    };
    readonly answer: {
      readonly manual: {
        readonly startedAtMs: number;
        readonly endsAtMs: number;
        readonly startedBy: string;
      };
    };
  };
  'camera/stopRecording': {
    readonly request: {
      readonly cameraUuid: string;
    };
    readonly answer: object;
  };
  'camera/unblockSharedStreamAddress': {
    readonly request: {
      readonly sharedLiveVideoStreamUuid: string;
      readonly address: string;
    };
    readonly answer: object;
  };
  'camera/updateCameraSource': {
    readonly request: {
      readonly cameraUuid: string;
      readonly name?: string | undefined;
      readonly locationUuid?: string | undefined;
      readonly mainUrl?: string | undefined;
      readonly substreamUrl?: string | undefined;
      readonly onvifUrl?: string | undefined;
      readonly username?: string | undefined;
      readonly password?: string | undefined;
      readonly engine?: 'auto' | 'direct' | 'ffmpeg' | undefined;
      readonly transport?: 'auto' | 'tcp' | 'udp' | 'multicast' | 'http' | undefined;
      readonly audio?: 'auto' | 'aac' | 'off' | undefined;
      readonly clock?: 'arrival' | 'camera' | undefined;
      readonly tls?: string | undefined;
    };
    readonly answer: object;
  };
  'camera/updateDetailsV2': {
    readonly request: {
      readonly uuid: string;
      readonly name?: string | undefined;
      readonly nameUpdated?: boolean | undefined;
      readonly locationUuid?: string | undefined;
      readonly locationUuidUpdated?: boolean | undefined;
      readonly description?: string | undefined;
      readonly descriptionUpdated?: boolean | undefined;
      readonly directionRadians?: number | undefined;
      readonly directionRadiansUpdated?: boolean | undefined;
      readonly floorNumber?: number | undefined;
      readonly floorNumberUpdated?: boolean | undefined;
      readonly latitude?: number | undefined;
      readonly latitudeUpdated?: boolean | undefined;
      readonly longitude?: number | undefined;
      readonly longitudeUpdated?: boolean | undefined;
      readonly subLocationsHierarchyKey?: string | undefined;
      readonly subLocationsHierarchyKeyUpdated?: boolean | undefined;
      readonly policyUuid?: string | undefined;
      readonly customData?: string | undefined;
      readonly customDataUpdated?: boolean | undefined;
      readonly policyUuidUpdated?: boolean | undefined;
      readonly nvrUuid?: string | undefined;
      readonly nvrUuidUpdated?: boolean | undefined;
      readonly deleted?: boolean | undefined;
      readonly deletedUpdated?: boolean | undefined;
      readonly facetNameMap?: Readonly<Record<string, string>> | undefined;
      readonly facetNameMapUpdated?: boolean | undefined;
      readonly mummified?: boolean | undefined;
      readonly mummifiedUpdated?: boolean | undefined;
    };
    readonly answer: object;
  };
  'camera/updateFacetedConfig': {
    readonly request: {
      readonly configUpdate: {
        readonly deviceUuid: string;
        readonly orgUuid?: string | undefined;
        readonly ai_license_invalid?: boolean | undefined;
        readonly audio_aec_via_software?: boolean | undefined;
        readonly audio_ai_disabled?: boolean | undefined;
        readonly audio_internal_mic_aec_enabled?: boolean | undefined;
        readonly audio_record?: boolean | undefined;
        readonly audio_supported?: boolean | undefined;
        readonly audio_use_external_mic?: boolean | undefined;
        readonly audio_use_external_speaker?: boolean | undefined;
        readonly audio_use_internal_speaker?: boolean | undefined;
        readonly bandwidth_reports_disabled?: boolean | undefined;
        readonly cross_counting?: boolean | undefined;
        readonly custom_events?: boolean | undefined;
        readonly device_mic_enabled?: boolean | undefined;
        readonly device_near_audio_silenced?: boolean | undefined;
        readonly device_speaker_enabled?: boolean | undefined;
        readonly disabled_schedule_inverted?: boolean | undefined;
        readonly frontendNoiseSuppression?: boolean | undefined;
        readonly hdr_enabled?: boolean | undefined;
        readonly high_res_detection?: boolean | undefined;
        readonly human_detection?: boolean | undefined;
        readonly human_loitering?: boolean | undefined;
        readonly led_stealth_mode?: boolean | undefined;
        readonly lightweight_detection_disabled?: boolean | undefined;
        readonly live_license_invalid?: boolean | undefined;
        readonly object_search?: boolean | undefined;
        readonly occupancy_counting?: boolean | undefined;
        readonly on_demand_license_invalid?: boolean | undefined;
        readonly person_reidentification?: boolean | undefined;
        readonly upload_all_detections?: boolean | undefined;
        readonly use_onboard_lpr?: boolean | undefined;
        readonly vehicle_detection?: boolean | undefined;
        readonly video_ai_disabled?: boolean | undefined;
        readonly video_persist_disabled?: boolean | undefined;
        readonly wdr_enabled?: boolean | undefined;
        readonly audio_external_mic_boost?: number | undefined;
        readonly audio_external_mic_volume?: number | undefined;
        readonly audio_external_speaker_volume?: number | undefined;
        readonly audio_internal_mic_boost?: number | undefined;
        readonly audio_internal_mic_volume?: number | undefined;
        readonly audio_internal_speaker_volume?: number | undefined;
        readonly audio_min_echo_amplitude?: number | undefined;
        readonly audio_playback_gain_percent?: number | undefined;
        readonly blocked_debounce_time_ms?: number | undefined;
        readonly blocked_threshold?: number | undefined;
        readonly char_threshold?: number | undefined;
        readonly dwell_reset_ttl_ms?: number | undefined;
        readonly dwell_time_ms?: number | undefined;
        readonly exposure_level?: number | undefined;
        readonly img_brightness?: number | undefined;
        readonly img_contrast?: number | undefined;
        readonly img_saturation?: number | undefined;
        readonly img_sharpness?: number | undefined;
        readonly lastModified?: number | undefined;
        readonly led_mode_blink_period_ms?: number | undefined;
        readonly max_detections_per_frame?: number | undefined;
        readonly media_ttl_minutes?: number | undefined;
        readonly night_exposure_level?: number | undefined;
        readonly night_img_brightness?: number | undefined;
        readonly night_img_contrast?: number | undefined;
        readonly night_img_saturation?: number | undefined;
        readonly night_img_sharpness?: number | undefined;
        readonly night_sensor_gain_max?: number | undefined;
        readonly night_shutter_time_max?: number | undefined;
        readonly night_shutter_time_min?: number | undefined;
        readonly rotation?: number | undefined;
        readonly rtsp_encoder?: number | undefined;
        readonly segment_max_bytes?: number | undefined;
        readonly sensor_gain_max?: number | undefined;
        readonly shutter_time_max?: number | undefined;
        readonly shutter_time_min?: number | undefined;
        readonly snapshot_height?: number | undefined;
        readonly snapshot_interval_secs?: number | undefined;
        readonly storage_target_free_megabytes?: number | undefined;
        readonly storage_target_free_space_permyriad?: number | undefined;
        readonly wdr_strength?: number | undefined;
        readonly zero_motion_video_bitrate_percent?: number | undefined;
        readonly cross_counting_settings?: {
          readonly directions?: ReadonlyArray<'INGRESS' | 'EGRESS'> | undefined;
          readonly in_roi?: ReadonlyArray<{
            readonly coordinates: ReadonlyArray<{
              readonly x: number;
              readonly y: number;
            }>;
          }> | undefined;
          readonly out_roi?: ReadonlyArray<{
            readonly coordinates: ReadonlyArray<{
              readonly x: number;
              readonly y: number;
            }>;
          }> | undefined;
          readonly object_type?: 'HUMAN' | 'VEHICLE' | 'FACE' | 'LPR' | 'POSE' | 'CLIP_EMBED' | 'UNKNOWN' | undefined;
          readonly object_type_id?: number | undefined;
        } | undefined;
        readonly disabled_schedule_uuid?: string | undefined;
        readonly disabled_schedule?: ReadonlyArray<{
          readonly minuteOfWeekStart: number;
          readonly minuteOfWeekStop: number;
        }> | undefined;
        readonly firmware_dev_settings?: Readonly<Record<string, unknown>> | undefined;
        readonly floorplan_homography?: ReadonlyArray<ReadonlyArray<number>> | undefined;
        readonly frontendEqualizerHighShelf?: {
          readonly frequency?: number | undefined;
          readonly gain?: number | undefined;
          readonly q?: number | undefined;
        } | undefined;
        readonly frontendEqualizerLowShelf?: {
          readonly frequency?: number | undefined;
          readonly gain?: number | undefined;
          readonly q?: number | undefined;
        } | undefined;
        readonly frontendEqualizerPeaking1?: {
          readonly frequency?: number | undefined;
          readonly gain?: number | undefined;
          readonly q?: number | undefined;
        } | undefined;
        readonly frontendEqualizerPeaking2?: {
          readonly frequency?: number | undefined;
          readonly gain?: number | undefined;
          readonly q?: number | undefined;
        } | undefined;
        readonly frontendEqualizerPeaking3?: {
          readonly frequency?: number | undefined;
          readonly gain?: number | undefined;
          readonly q?: number | undefined;
        } | undefined;
        readonly human_loitering_settings?: {
          readonly roi?: ReadonlyArray<{
            readonly coordinates: ReadonlyArray<{
              readonly x: number;
              readonly y: number;
            }>;
          }> | undefined;
        } | undefined;
        readonly metering_config?: {
          readonly rotation?: number | undefined;
          readonly table?: string | undefined;
        } | undefined;
        readonly night_metering_config?: {
          readonly rotation?: number | undefined;
          readonly table?: string | undefined;
        } | undefined;
        readonly motor_config?: {
          readonly af_enabled?: boolean | undefined;
          readonly af_region?: {
            readonly h?: number | undefined;
            readonly size?: number | undefined;
            readonly w?: number | undefined;
            readonly x?: number | undefined;
            readonly y?: number | undefined;
          } | undefined;
          readonly focus?: number | undefined;
          readonly pan_degrees?: number | undefined;
          readonly piris?: number | undefined;
          readonly pt_speed?: number | undefined;
          readonly tilt_degrees?: number | undefined;
          readonly zoom?: number | undefined;
        } | undefined;
        readonly privacy_window_polygons?: ReadonlyArray<{
          readonly coordinates: ReadonlyArray<{
            readonly x: number;
            readonly y: number;
          }>;
        }> | undefined;
        readonly privacy_windows?: ReadonlyArray<{
          readonly h?: number | undefined;
          readonly size?: number | undefined;
          readonly w?: number | undefined;
          readonly x?: number | undefined;
          readonly y?: number | undefined;
        }> | undefined;
        readonly recording?: 'off' | 'always' | 'schedule' | 'events' | undefined;
        readonly recording_streams?: 'main' | 'sub' | 'both' | undefined;
        readonly recording_schedule_uuid?: string | undefined;
        readonly recording_pre_roll_sec?: number | undefined;
        readonly recording_post_roll_sec?: number | undefined;
        readonly recording_keep_hours?: number | undefined;
        readonly recording_keep_sub_hours?: number | undefined;
        readonly recording_keep_key_frames_hours?: number | undefined;
        readonly recording_max_bytes?: number | undefined;
        readonly recording_over_file?: boolean | undefined;
        readonly ptz_config?: {
          readonly offset_x_percent?: number | undefined;
          readonly offset_y_percent?: number | undefined;
          readonly rotation?: number | undefined;
          readonly size_percent?: number | undefined;
        } | undefined;
        readonly region_for_occupancy?: {
          readonly inverted?: boolean | undefined;
          readonly polygons?: ReadonlyArray<{
            readonly coordinates: ReadonlyArray<{
              readonly x: number;
              readonly y: number;
            }>;
          }> | undefined;
        } | undefined;
        readonly region_of_interest?: {
          readonly inverted?: boolean | undefined;
          readonly polygons?: ReadonlyArray<{
            readonly coordinates: ReadonlyArray<{
              readonly x: number;
              readonly y: number;
            }>;
          }> | undefined;
        } | undefined;
        readonly region_of_interest_groups?: ReadonlyArray<{
          readonly inclusive?: boolean | undefined;
          readonly regionsOfInterest?: ReadonlyArray<{
            readonly activities?: ReadonlyArray<string> | undefined;
            readonly name?: string | undefined;
            readonly polygon?: {
              readonly coordinates: ReadonlyArray<{
                readonly x: number;
                readonly y: number;
              }>;
            } | undefined;
            readonly uuid?: string | undefined;
          }> | undefined;
        }> | undefined;
        readonly resolution?: {
          readonly height?: number | undefined;
          readonly width?: number | undefined;
        } | undefined;
        readonly shared_fov?: ReadonlyArray<string> | undefined;
        readonly tile_views?: ReadonlyArray<{
          readonly aspectRatio?: {
            readonly height?: number | undefined;
            readonly width?: number | undefined;
          } | undefined;
          readonly pitchDegrees?: number | undefined;
          readonly rollDegrees?: number | undefined;
          readonly verticalFieldOfViewDegrees?: number | undefined;
          readonly yawDegrees?: number | undefined;
        }> | undefined;
      };
    };
    readonly answer: object;
  };
  'camera/updateSharedLiveVideoStream': {
    readonly request: {
      readonly uuid: string;
      readonly name?: string | undefined;
      readonly nameUpdated?: boolean | undefined;
      readonly password?: string | undefined;
      readonly passwordUpdated?: boolean | undefined;
      readonly expirationTimeSecs?: number | undefined;
      readonly expirationTimeSecsUpdated?: boolean | undefined;
      readonly scheduleUuid?: string | undefined;
      readonly scheduleUuidUpdated?: boolean | undefined;
      readonly invertSchedule?: boolean | undefined;
      readonly invertScheduleUpdated?: boolean | undefined;
      readonly ssoProtected?: boolean | undefined;
      readonly ssoProtectedUpdated?: boolean | undefined;
      readonly cdn?: boolean | undefined;
      readonly cdnUpdated?: boolean | undefined;
      readonly talk?: boolean | undefined;
      readonly talkUpdated?: boolean | undefined;
      readonly vodEnabled?: boolean | undefined;
      readonly vodEnabledUpdated?: boolean | undefined;
      readonly showsUnmasked?: boolean | undefined;
      readonly showsUnmaskedUpdated?: boolean | undefined;
      readonly vodPastSecs?: number | undefined;
      readonly vodPastSecsUpdated?: boolean | undefined;
      readonly vodExpirationTimeSecs?: number | undefined;
      readonly vodExpirationTimeSecsUpdated?: boolean | undefined;
    };
    readonly answer: {
      readonly sharedLiveVideoStream: {
        readonly uuid: string;
        readonly orgUuid: string;
        readonly name: string;
        readonly streamType: 'USER' | 'ALARM_MONITORING' | 'DICE' | 'LUMEO' | 'INFORMACAST' | 'RAPIDSOS' | 'UNKNOWN';
        readonly cameraUuid: string;
        readonly deviceUuid: string;
        readonly sharedLiveVideoStreamUrl: string;
        readonly sharedLiveM3U8StreamUrl: string;
        readonly sharedLiveRtspStreamUrl?: string;
        readonly timestampMs: number;
        readonly expirationTime?: number;
        readonly passwordProtected: boolean;
        readonly scheduleUuid?: string;
        readonly invertSchedule: boolean;
        readonly vodEnabled: boolean;
        readonly showsUnmasked: boolean;
        readonly vodPastSecs?: number;
        readonly vodExpirationTime?: number;
        readonly audioGatewayUuid?: string;
        readonly ssoProtected: boolean;
        readonly cdn?: boolean;
        readonly sharedWithMonitoringService: boolean;
        readonly talk: boolean;
        readonly audioPushToTalkEnabled: boolean;
        readonly hideOverlay: boolean;
        readonly unscheduledMessage?: string;
        readonly deviceHwVar?: string;
        readonly audioDeviceHwVar?: string;
      };
    };
  };
  'camera/updateSharedVideoWall': {
    readonly request: {
      readonly uuid: string;
      readonly expirationTimeSecs?: number | undefined;
      readonly expirationTimeSecsUpdated?: boolean | undefined;
      readonly password?: string | undefined;
      readonly passwordUpdated?: boolean | undefined;
      readonly scheduleUuid?: string | undefined;
      readonly scheduleUuidUpdated?: boolean | undefined;
      readonly invertSchedule?: boolean | undefined;
      readonly invertScheduleUpdated?: boolean | undefined;
      readonly unscheduledMessage?: string | undefined;
      readonly unscheduledMessageUpdated?: boolean | undefined;
      readonly deviceScheduleMap?: Readonly<Record<string, {
        readonly scheduleUuid?: string | undefined;
        readonly invertSchedule?: boolean | undefined;
        readonly unscheduledMessage?: string | undefined;
      }>> | undefined;
      readonly deviceScheduleMapUpdated?: boolean | undefined;
      readonly vodEnabled?: boolean | undefined;
      readonly vodEnabledUpdated?: boolean | undefined;
      readonly showsUnmasked?: boolean | undefined;
      readonly showsUnmaskedUpdated?: boolean | undefined;
      readonly vodPastSecs?: number | undefined;
      readonly vodPastSecsUpdated?: boolean | undefined;
      readonly vodExpirationTimeSecs?: number | undefined;
      readonly vodExpirationTimeSecsUpdated?: boolean | undefined;
      readonly ssoProtected?: false | undefined;
    };
    readonly answer: {
      readonly sharedVideoWall: {
        readonly uuid: string;
        readonly orgUuid: string;
        readonly videoWallUuid: string;
        readonly sharedVideoWallUrl: string;
        readonly timestampMs: number;
        readonly expirationTime?: number;
        readonly passwordProtected: boolean;
        readonly scheduleUuid?: string;
        readonly invertSchedule: boolean;
        readonly unscheduledMessage?: string;
        readonly deviceScheduleMap: Readonly<Record<string, {
          readonly scheduleUuid?: string;
          readonly invertSchedule: boolean;
          readonly unscheduledMessage?: string;
        }>>;
        readonly vodEnabled: boolean;
        readonly showsUnmasked: boolean;
        readonly vodPastSecs?: number;
        readonly vodExpirationTime?: number;
        readonly hideOverlay: boolean;
        readonly permissionGroupUuid?: string;
      };
    };
  };
  'camera/updateVideoWalls': {
    readonly request: {
      readonly videoWall: {
        readonly uuid: string;
        readonly orgUuid?: string | undefined;
        readonly displayName?: string | undefined;
        readonly deviceList?: ReadonlyArray<string> | undefined;
        readonly settings?: Readonly<Record<string, unknown>> | undefined;
        readonly layout?: {
          readonly kind: 'AUTOMATIC' | 'ONE_PLUS_FIVE' | 'TWO_BY_TWO' | 'THREE_BY_THREE' | 'FOUR_BY_FOUR' | 'FREE';
          readonly cells?: ReadonlyArray<{
            readonly cameraUuid: string;
            readonly x: number;
            readonly y: number;
            readonly width: number;
            readonly height: number;
          }> | undefined;
          readonly tourSec?: number | undefined;
        } | undefined;
        readonly shared?: boolean | undefined;
        readonly othersCanEdit?: boolean | undefined;
        readonly ownerUserUuid?: string | undefined;
      };
    };
    readonly answer: object;
  };
  'component/elevator/findAccessControlledElevatorLandingShadows': {
    readonly request: {
      readonly lastEvaluatedKey?: string | undefined;
      readonly maxPageSize?: number | undefined;
    };
    readonly answer: {
      readonly shadows: ReadonlyArray<{
        readonly componentCompositeUuid: string;
        readonly orgUuid: string;
        readonly type: 'AccessControlledDoorShadow' | 'AccessControlledElevatorLandingShadow';
        readonly createdAtMillis?: number;
        readonly updatedAtMillis?: number;
        readonly authFirstIn?: {
          readonly originator?: {
            readonly type?: 'USER' | 'SUPPORT_AUTHORITY' | 'API_TOKEN' | 'RULE' | 'COMPONENT_COMPOSITE_EVENT' | 'UNKNOWN';
            readonly grantedToInternalEntityUuid?: string;
            readonly grantedToName?: string;
            readonly supportAuthorityUuid?: string;
            readonly supportUserEmail?: string;
            readonly supportUsername?: string;
          };
          readonly source?: 'CONFIG_MANUAL_OVERRIDE' | 'CONFIG_REQUIREMENT_CHANGE' | 'CONFIG_MEMBERSHIP' | 'SCHEDULED_RESET' | 'LOCAL_BADGE_EVENT' | 'LOCKDOWN' | 'UNKNOWN';
          readonly state?: 'DISABLED' | 'NOT_CONFIGURED' | 'REQUIRED' | 'SATISFIED' | 'UNKNOWN';
          readonly stateUpdateEventTimestampMs?: number;
        };
        readonly scheduleFirstIn?: {
          readonly originator?: {
            readonly type?: 'USER' | 'SUPPORT_AUTHORITY' | 'API_TOKEN' | 'RULE' | 'COMPONENT_COMPOSITE_EVENT' | 'UNKNOWN';
            readonly grantedToInternalEntityUuid?: string;
            readonly grantedToName?: string;
            readonly supportAuthorityUuid?: string;
            readonly supportUserEmail?: string;
            readonly supportUsername?: string;
          };
          readonly source?: 'CONFIG_MANUAL_OVERRIDE' | 'CONFIG_REQUIREMENT_CHANGE' | 'CONFIG_MEMBERSHIP' | 'SCHEDULED_RESET' | 'LOCAL_BADGE_EVENT' | 'LOCKDOWN' | 'UNKNOWN';
          readonly state?: 'DISABLED' | 'NOT_CONFIGURED' | 'REQUIRED' | 'SATISFIED' | 'UNKNOWN';
          readonly stateUpdateEventTimestampMs?: number;
        };
        readonly state?: {
          readonly source?: 'DEFAULT_STATE' | 'SCHEDULE' | 'SCHEDULE_EXCEPTION' | 'FIRST_IN' | 'DOOR_STATE_OVERRIDE' | 'LOCKDOWN' | 'PRIVACY' | 'UNKNOWN';
          readonly state?: 'UNLOCKED' | 'ACCESS_CONTROLLED';
          readonly stateUpdateEventTimestampMs?: number;
        };
      }>;
      readonly lastEvaluatedKey?: string;
    };
  };
  'component/elevator/findAccessControlledElevatorLandingsByLocation': {
    readonly request: {
      readonly locationUuid: string;
      readonly lastEvaluatedKey?: string | undefined;
      readonly maxPageSize?: number | undefined;
    };
    readonly answer: {
      readonly accessControlledElevatorLandings: ReadonlyArray<{
        readonly uuid: string;
        readonly orgUuid: string;
        readonly type: 'AccessControlledDoor' | 'AccessControlledElevator' | 'AccessControlledElevatorLanding';
        readonly locationUuid?: string;
        readonly ownerDeviceUuid: string;
        readonly createdAtMillis: number;
        readonly updatedAtMillis: number;
        readonly name?: string;
        readonly floorNumber?: number;
        readonly policyUuid?: string;
        readonly remoteUnlockEnabled?: boolean;
        readonly geofenceEnabled?: boolean;
        readonly geofenceRadius?: number;
        readonly associatedCameras?: ReadonlyArray<string>;
        readonly associatedFaceDetectionCameras?: ReadonlyArray<string>;
        readonly defaultAccessState?: 'UNLOCKED' | 'ACCESS_CONTROLLED';
        readonly accessStateToScheduleUuidMap?: Readonly<Record<string, string>>;
        readonly accessStateOverride?: {
          readonly originator?: {
            readonly type?: 'USER' | 'SUPPORT_AUTHORITY' | 'API_TOKEN' | 'RULE' | 'COMPONENT_COMPOSITE_EVENT' | 'UNKNOWN';
            readonly grantedToInternalEntityUuid?: string;
            readonly grantedToName?: string;
            readonly supportAuthorityUuid?: string;
            readonly supportUserEmail?: string;
            readonly supportUsername?: string;
          };
          readonly requestedAtMillis?: number;
          readonly type?: 'DOOR_STATE_OVERRIDE' | 'CANCELLED_DOOR_STATE_OVERRIDE';
          readonly state?: 'UNLOCKED' | 'ACCESS_CONTROLLED';
          readonly expiresAtMillis?: number;
        };
        readonly accessScheduleFirstInStateOverride?: {
          readonly originator?: {
            readonly type?: 'USER' | 'SUPPORT_AUTHORITY' | 'API_TOKEN' | 'RULE' | 'COMPONENT_COMPOSITE_EVENT' | 'UNKNOWN';
            readonly grantedToInternalEntityUuid?: string;
            readonly grantedToName?: string;
            readonly supportAuthorityUuid?: string;
            readonly supportUserEmail?: string;
            readonly supportUsername?: string;
          };
          readonly requestedAtMillis?: number;
          readonly state?: 'REQUIRED' | 'SATISFIED';
        };
        readonly authFirstInStateOverride?: {
          readonly originator?: {
            readonly type?: 'USER' | 'SUPPORT_AUTHORITY' | 'API_TOKEN' | 'RULE' | 'COMPONENT_COMPOSITE_EVENT' | 'UNKNOWN';
            readonly grantedToInternalEntityUuid?: string;
            readonly grantedToName?: string;
            readonly supportAuthorityUuid?: string;
            readonly supportUserEmail?: string;
            readonly supportUsername?: string;
          };
          readonly requestedAtMillis?: number;
          readonly state?: 'REQUIRED' | 'SATISFIED';
        };
      }>;
      readonly lastEvaluatedKey?: string;
    };
  };
  'component/elevator/getAccessControlledElevatorLandingLabelsForOrg': {
    readonly request: object;
    readonly answer: {
      readonly accessControlledElevatorLandingLabels: Readonly<Record<string, ReadonlyArray<string>>>;
    };
  };
  'component/findAccessControlledDoors': {
    readonly request: {
      readonly lastEvaluatedKey?: string | undefined;
      readonly maxPageSize?: number | undefined;
    };
    readonly answer: {
      readonly accessControlledDoors: ReadonlyArray<{
        readonly uuid: string;
        readonly orgUuid: string;
        readonly type: 'AccessControlledDoor' | 'AccessControlledElevator' | 'AccessControlledElevatorLanding';
        readonly locationUuid?: string;
        readonly ownerDeviceUuid?: string;
        readonly createdAtMillis: number;
        readonly updatedAtMillis: number;
        readonly name?: string;
        readonly policyUuid?: string;
        readonly defaultState?: 'UNLOCKED' | 'ACCESS_CONTROLLED';
        readonly doorStateToScheduleUuidMap?: Readonly<Record<string, string>>;
        readonly ajarTimeSec?: number;
        readonly forcedOpenEnabled?: boolean;
        readonly forcedOpenTimeSec?: number;
        readonly unlockTimeSec?: number;
        readonly unlockTimeSecRex?: number;
        readonly relockAfterOpenTimeMs?: number;
        readonly remoteUnlockEnabled?: boolean;
        readonly floorNumber?: number;
        readonly directionRadians?: number;
        readonly latitude?: number;
        readonly longitude?: number;
        readonly geofenceEnabled?: boolean;
        readonly geofenceRadius?: number;
        readonly associatedCameras?: ReadonlyArray<string>;
        readonly associatedFaceDetectionCameras?: ReadonlyArray<string>;
        readonly dpiComponents?: ReadonlyArray<{
          readonly componentUuid: string;
          readonly deviceUuid?: string;
        }>;
        readonly readerComponents?: ReadonlyArray<{
          readonly componentUuid: string;
          readonly deviceUuid?: string;
        }>;
        readonly relayComponents?: ReadonlyArray<{
          readonly componentUuid: string;
          readonly deviceUuid?: string;
        }>;
        readonly rexComponents?: ReadonlyArray<{
          readonly componentUuid: string;
          readonly deviceUuid?: string;
        }>;
        readonly forceAllReadersFirstInAuthRequiredLedFeedbackEnabled?: boolean;
        readonly forceAllReadersFirstInUnlockPendingLedFeedbackEnabled?: boolean;
        readonly forceAllReadersOtherReaderUnlockAudioFeedbackEnabled?: boolean;
        readonly forceAllReadersRemoteUnlockAudioFeedbackEnabled?: boolean;
        readonly proximityUnlockSettings?: {
          readonly enabled?: boolean;
          readonly credCooldownSec?: number;
          readonly exitResetsCooldown?: boolean;
          readonly holdUnlocked?: boolean;
          readonly holdUnlockedEventIntervalSec?: number;
          readonly minHoldUnlockedTimeSec?: number;
          readonly maxHoldUnlockedTimeSec?: number;
          readonly minRSSIThreshold?: number;
        };
        readonly waveToUnlockSettings?: {
          readonly enabled?: boolean;
          readonly awaitAuthDurationMs?: number;
          readonly minRSSIThreshold?: number;
          readonly showAwaitIntentFeedback?: boolean;
          readonly treatNfcAsIntent?: boolean;
        };
        readonly subLocationsHierarchyKey?: string;
        readonly subType?: 'NATIVE' | 'LOCK_VENDOR';
        readonly lockVendorDoorId?: string;
        readonly lockVendorDoorExtensionComponent?: {
          readonly componentUuid: string;
          readonly deviceUuid?: string;
        };
        readonly lockVendorGatewayComponent?: {
          readonly componentUuid: string;
          readonly deviceUuid?: string;
        };
        readonly nfcSecureDowngradeEnabled?: boolean;
        readonly privacyModeSupportEnabled?: boolean;
        readonly sendExpiredIntentEvents?: boolean;
        readonly defaultAccessStateOriginator?: {
          readonly type?: 'USER' | 'SUPPORT_AUTHORITY' | 'API_TOKEN' | 'RULE' | 'COMPONENT_COMPOSITE_EVENT' | 'UNKNOWN';
          readonly grantedToInternalEntityUuid?: string;
          readonly grantedToName?: string;
          readonly supportAuthorityUuid?: string;
          readonly supportUserEmail?: string;
          readonly supportUsername?: string;
        };
        readonly defaultAccessStateRequestedAtMillis?: number;
        readonly doorAuthFirstInStateOverride?: {
          readonly originator?: {
            readonly type?: 'USER' | 'SUPPORT_AUTHORITY' | 'API_TOKEN' | 'RULE' | 'COMPONENT_COMPOSITE_EVENT' | 'UNKNOWN';
            readonly grantedToInternalEntityUuid?: string;
            readonly grantedToName?: string;
            readonly supportAuthorityUuid?: string;
            readonly supportUserEmail?: string;
            readonly supportUsername?: string;
          };
          readonly requestedAtMillis?: number;
          readonly state?: 'REQUIRED' | 'SATISFIED';
        };
        readonly doorScheduleFirstInStateOverride?: {
          readonly originator?: {
            readonly type?: 'USER' | 'SUPPORT_AUTHORITY' | 'API_TOKEN' | 'RULE' | 'COMPONENT_COMPOSITE_EVENT' | 'UNKNOWN';
            readonly grantedToInternalEntityUuid?: string;
            readonly grantedToName?: string;
            readonly supportAuthorityUuid?: string;
            readonly supportUserEmail?: string;
            readonly supportUsername?: string;
          };
          readonly requestedAtMillis?: number;
          readonly state?: 'REQUIRED' | 'SATISFIED';
        };
        readonly doorStateOverride?: {
          readonly originator?: {
            readonly type?: 'USER' | 'SUPPORT_AUTHORITY' | 'API_TOKEN' | 'RULE' | 'COMPONENT_COMPOSITE_EVENT' | 'UNKNOWN';
            readonly grantedToInternalEntityUuid?: string;
            readonly grantedToName?: string;
            readonly supportAuthorityUuid?: string;
            readonly supportUserEmail?: string;
            readonly supportUsername?: string;
          };
          readonly requestedAtMillis?: number;
          readonly type?: 'DOOR_STATE_OVERRIDE' | 'CANCELLED_DOOR_STATE_OVERRIDE';
          readonly state?: 'UNLOCKED' | 'ACCESS_CONTROLLED';
          readonly expiresAtMillis?: number;
        };
      }>;
      readonly lastEvaluatedKey?: string;
    };
  };
  'component/findComponentEventsByAccessControlledDoor': {
    readonly request: {
      readonly accessControlledDoorUuid: string;
      readonly createdAfterMs?: number | undefined;
      readonly createdBeforeMs?: number | undefined;
      readonly typeFilter?: ReadonlyArray<'DoorbellEvent' | 'DoorReaderStateChangeEvent' | 'DoorRelayStateChangeEvent' | 'DoorPositionIndicatorStateChangeEvent' | 'RequestToExitStateChangeEvent' | 'CredentialReceivedEvent' | 'ButtonEvent' | 'GenericInputStateChangeEvent' | 'GenericRelayStateChangeEvent' | 'AccessControlUnitTamperEvent' | 'AccessControlUnitLocationLockdownStateEvent' | 'DoorLocationLockdownStateEvent' | 'PanicButtonEvent' | 'AccessControlUnitBatteryStateChangeEvent' | 'WaveToUnlockIntentExpiredEvent' | 'DoorStateChangeEvent' | 'DoorAuthFirstInStateEvent' | 'DoorScheduleFirstInStateEvent' | 'AccessControlUnitDoorFirstInStateEvent' | 'LockVendorDoorExtensionStateEvent' | 'LockVendorActivatorStateEvent' | 'LockVendorKeyCylinderStateEvent' | 'LockVendorDoorModeEvent' | 'LockVendorDoorHandleStateEvent' | 'LockVendorGatewayStateEvent' | 'LockVendorGatewayConnectionStateChangeEvent' | 'LockVendorDtcEvent' | 'LockVendorTamperStateEvent'> | undefined;
      readonly limit?: number | undefined;
    };
    readonly answer: {
      readonly componentEvents: ReadonlyArray<{
        readonly uuid: string;
        readonly orgUuid: string;
        readonly type: 'DoorbellEvent' | 'DoorReaderStateChangeEvent' | 'DoorRelayStateChangeEvent' | 'DoorPositionIndicatorStateChangeEvent' | 'RequestToExitStateChangeEvent' | 'CredentialReceivedEvent' | 'ButtonEvent' | 'GenericInputStateChangeEvent' | 'GenericRelayStateChangeEvent' | 'AccessControlUnitTamperEvent' | 'AccessControlUnitLocationLockdownStateEvent' | 'DoorLocationLockdownStateEvent' | 'PanicButtonEvent' | 'AccessControlUnitBatteryStateChangeEvent' | 'WaveToUnlockIntentExpiredEvent' | 'DoorStateChangeEvent' | 'DoorAuthFirstInStateEvent' | 'DoorScheduleFirstInStateEvent' | 'AccessControlUnitDoorFirstInStateEvent' | 'LockVendorDoorExtensionStateEvent' | 'LockVendorActivatorStateEvent' | 'LockVendorKeyCylinderStateEvent' | 'LockVendorDoorModeEvent' | 'LockVendorDoorHandleStateEvent' | 'LockVendorGatewayStateEvent' | 'LockVendorGatewayConnectionStateChangeEvent' | 'LockVendorDtcEvent' | 'LockVendorTamperStateEvent';
        readonly componentUuid: string;
        readonly ownerDeviceUuid?: string;
        readonly locationUuid?: string;
        readonly correlationId?: string;
        readonly timestampMs: number;
        readonly createdAtMs: number;
      }>;
    };
  };
  'component/updateAccessControlledDoor': {
    readonly request: {
      readonly accessControlledDoorUuid: string;
      readonly name?: string | undefined;
      readonly policyUuid?: string | undefined;
      readonly defaultState?: 'UNLOCKED' | 'ACCESS_CONTROLLED' | undefined;
      readonly doorStateToScheduleUuidMap?: Readonly<Record<string, string>> | undefined;
      readonly ajarTimeSec?: number | undefined;
      readonly forcedOpenEnabled?: boolean | undefined;
      readonly forcedOpenTimeSec?: number | undefined;
      readonly unlockTimeSec?: number | undefined;
      readonly unlockTimeSecRex?: number | undefined;
      readonly relockAfterOpenTimeMs?: number | undefined;
      readonly remoteUnlockEnabled?: boolean | undefined;
      readonly floorNumber?: number | undefined;
      readonly directionRadians?: number | undefined;
      readonly latitude?: number | undefined;
      readonly longitude?: number | undefined;
      readonly geofenceEnabled?: boolean | undefined;
      readonly geofenceRadius?: number | undefined;
      readonly associatedCameras?: ReadonlyArray<string> | undefined;
      readonly associatedFaceDetectionCameras?: ReadonlyArray<string> | undefined;
      readonly dpiComponents?: ReadonlyArray<{
        readonly componentUuid: string;
        readonly deviceUuid?: string | undefined;
      }> | undefined;
      readonly readerComponents?: ReadonlyArray<{
        readonly componentUuid: string;
        readonly deviceUuid?: string | undefined;
      }> | undefined;
      readonly relayComponents?: ReadonlyArray<{
        readonly componentUuid: string;
        readonly deviceUuid?: string | undefined;
      }> | undefined;
      readonly rexComponents?: ReadonlyArray<{
        readonly componentUuid: string;
        readonly deviceUuid?: string | undefined;
      }> | undefined;
      readonly forceAllReadersFirstInAuthRequiredLedFeedbackEnabled?: boolean | undefined;
      readonly forceAllReadersFirstInUnlockPendingLedFeedbackEnabled?: boolean | undefined;
      readonly forceAllReadersOtherReaderUnlockAudioFeedbackEnabled?: boolean | undefined;
      readonly forceAllReadersRemoteUnlockAudioFeedbackEnabled?: boolean | undefined;
      readonly proximityUnlockSettings?: {
        readonly enabled?: boolean | undefined;
        readonly credCooldownSec?: number | undefined;
        readonly exitResetsCooldown?: boolean | undefined;
        readonly holdUnlocked?: boolean | undefined;
        readonly holdUnlockedEventIntervalSec?: number | undefined;
        readonly minHoldUnlockedTimeSec?: number | undefined;
        readonly maxHoldUnlockedTimeSec?: number | undefined;
        readonly minRSSIThreshold?: number | undefined;
      } | undefined;
      readonly waveToUnlockSettings?: {
        readonly enabled?: boolean | undefined;
        readonly awaitAuthDurationMs?: number | undefined;
        readonly minRSSIThreshold?: number | undefined;
        readonly showAwaitIntentFeedback?: boolean | undefined;
        readonly treatNfcAsIntent?: boolean | undefined;
      } | undefined;
      readonly subLocationsHierarchyKey?: string | undefined;
      readonly subLocationsHierarchyKeyUpdated?: boolean | undefined;
    };
    readonly answer: {
      readonly accessControlledDoor: {
        readonly uuid: string;
        readonly orgUuid: string;
        readonly type: 'AccessControlledDoor' | 'AccessControlledElevator' | 'AccessControlledElevatorLanding';
        readonly locationUuid?: string;
        readonly ownerDeviceUuid?: string;
        readonly createdAtMillis: number;
        readonly updatedAtMillis: number;
        readonly name?: string;
        readonly policyUuid?: string;
        readonly defaultState?: 'UNLOCKED' | 'ACCESS_CONTROLLED';
        readonly doorStateToScheduleUuidMap?: Readonly<Record<string, string>>;
        readonly ajarTimeSec?: number;
        readonly forcedOpenEnabled?: boolean;
        readonly forcedOpenTimeSec?: number;
        readonly unlockTimeSec?: number;
        readonly unlockTimeSecRex?: number;
        readonly relockAfterOpenTimeMs?: number;
        readonly remoteUnlockEnabled?: boolean;
        readonly floorNumber?: number;
        readonly directionRadians?: number;
        readonly latitude?: number;
        readonly longitude?: number;
        readonly geofenceEnabled?: boolean;
        readonly geofenceRadius?: number;
        readonly associatedCameras?: ReadonlyArray<string>;
        readonly associatedFaceDetectionCameras?: ReadonlyArray<string>;
        readonly dpiComponents?: ReadonlyArray<{
          readonly componentUuid: string;
          readonly deviceUuid?: string;
        }>;
        readonly readerComponents?: ReadonlyArray<{
          readonly componentUuid: string;
          readonly deviceUuid?: string;
        }>;
        readonly relayComponents?: ReadonlyArray<{
          readonly componentUuid: string;
          readonly deviceUuid?: string;
        }>;
        readonly rexComponents?: ReadonlyArray<{
          readonly componentUuid: string;
          readonly deviceUuid?: string;
        }>;
        readonly forceAllReadersFirstInAuthRequiredLedFeedbackEnabled?: boolean;
        readonly forceAllReadersFirstInUnlockPendingLedFeedbackEnabled?: boolean;
        readonly forceAllReadersOtherReaderUnlockAudioFeedbackEnabled?: boolean;
        readonly forceAllReadersRemoteUnlockAudioFeedbackEnabled?: boolean;
        readonly proximityUnlockSettings?: {
          readonly enabled?: boolean;
          readonly credCooldownSec?: number;
          readonly exitResetsCooldown?: boolean;
          readonly holdUnlocked?: boolean;
          readonly holdUnlockedEventIntervalSec?: number;
          readonly minHoldUnlockedTimeSec?: number;
          readonly maxHoldUnlockedTimeSec?: number;
          readonly minRSSIThreshold?: number;
        };
        readonly waveToUnlockSettings?: {
          readonly enabled?: boolean;
          readonly awaitAuthDurationMs?: number;
          readonly minRSSIThreshold?: number;
          readonly showAwaitIntentFeedback?: boolean;
          readonly treatNfcAsIntent?: boolean;
        };
        readonly subLocationsHierarchyKey?: string;
        readonly subType?: 'NATIVE' | 'LOCK_VENDOR';
        readonly lockVendorDoorId?: string;
        readonly lockVendorDoorExtensionComponent?: {
          readonly componentUuid: string;
          readonly deviceUuid?: string;
        };
        readonly lockVendorGatewayComponent?: {
          readonly componentUuid: string;
          readonly deviceUuid?: string;
        };
        readonly nfcSecureDowngradeEnabled?: boolean;
        readonly privacyModeSupportEnabled?: boolean;
        readonly sendExpiredIntentEvents?: boolean;
        readonly defaultAccessStateOriginator?: {
          readonly type?: 'USER' | 'SUPPORT_AUTHORITY' | 'API_TOKEN' | 'RULE' | 'COMPONENT_COMPOSITE_EVENT' | 'UNKNOWN';
          readonly grantedToInternalEntityUuid?: string;
          readonly grantedToName?: string;
          readonly supportAuthorityUuid?: string;
          readonly supportUserEmail?: string;
          readonly supportUsername?: string;
        };
        readonly defaultAccessStateRequestedAtMillis?: number;
        readonly doorAuthFirstInStateOverride?: {
          readonly originator?: {
            readonly type?: 'USER' | 'SUPPORT_AUTHORITY' | 'API_TOKEN' | 'RULE' | 'COMPONENT_COMPOSITE_EVENT' | 'UNKNOWN';
            readonly grantedToInternalEntityUuid?: string;
            readonly grantedToName?: string;
            readonly supportAuthorityUuid?: string;
            readonly supportUserEmail?: string;
            readonly supportUsername?: string;
          };
          readonly requestedAtMillis?: number;
          readonly state?: 'REQUIRED' | 'SATISFIED';
        };
        readonly doorScheduleFirstInStateOverride?: {
          readonly originator?: {
            readonly type?: 'USER' | 'SUPPORT_AUTHORITY' | 'API_TOKEN' | 'RULE' | 'COMPONENT_COMPOSITE_EVENT' | 'UNKNOWN';
            readonly grantedToInternalEntityUuid?: string;
            readonly grantedToName?: string;
            readonly supportAuthorityUuid?: string;
            readonly supportUserEmail?: string;
            readonly supportUsername?: string;
          };
          readonly requestedAtMillis?: number;
          readonly state?: 'REQUIRED' | 'SATISFIED';
        };
        readonly doorStateOverride?: {
          readonly originator?: {
            readonly type?: 'USER' | 'SUPPORT_AUTHORITY' | 'API_TOKEN' | 'RULE' | 'COMPONENT_COMPOSITE_EVENT' | 'UNKNOWN';
            readonly grantedToInternalEntityUuid?: string;
            readonly grantedToName?: string;
            readonly supportAuthorityUuid?: string;
            readonly supportUserEmail?: string;
            readonly supportUsername?: string;
          };
          readonly requestedAtMillis?: number;
          readonly type?: 'DOOR_STATE_OVERRIDE' | 'CANCELLED_DOOR_STATE_OVERRIDE';
          readonly state?: 'UNLOCKED' | 'ACCESS_CONTROLLED';
          readonly expiresAtMillis?: number;
        };
      };
    };
  };
  'console/acceptInvite': {
    readonly request: {
      readonly inviteToken: string;
      readonly name?: string | undefined;
      readonly password?: string | undefined;
      readonly passkey?: {
        readonly id: string;
        readonly clientDataJSON: string;
        readonly attestationObject: string;
        readonly transports?: ReadonlyArray<string> | undefined;
      } | undefined;
      readonly passkeyName?: string | undefined;
    };
    readonly answer: {
      readonly person: {
        readonly personUuid: string;
        readonly name: string;
        readonly email?: string;
        readonly role: 'viewer' | 'operator' | 'admin';
        readonly scope?: {
          readonly locationUuids: ReadonlyArray<string>;
          readonly cameraUuids: ReadonlyArray<string>;
        };
        readonly hasPassword: boolean;
        readonly disabled: boolean;
        readonly createdAtMs: number;
        readonly lastSignInAtMs?: number;
      };
    };
  };
  'console/addOidcProvider': {
    readonly request: {
      readonly label: string;
      readonly issuer: string;
      readonly clientId: string;
      readonly clientSecret: string;
      readonly settings: {
        readonly isEnabled: boolean;
        readonly domains: ReadonlyArray<string>;
        readonly scopes: ReadonlyArray<string>;
        readonly acceptsUnverifiedEmail: boolean;
        readonly roleClaim?: string | undefined;
        readonly roleRules: ReadonlyArray<{
          readonly value: string;
          readonly role: 'viewer' | 'operator' | 'admin';
          readonly scope?: {
            readonly locationUuids: ReadonlyArray<string>;
            readonly cameraUuids: ReadonlyArray<string>;
          } | undefined;
        }>;
        readonly defaultRole?: 'viewer' | 'operator' | 'admin' | undefined;
        readonly defaultScope?: {
          readonly locationUuids: ReadonlyArray<string>;
          readonly cameraUuids: ReadonlyArray<string>;
        } | undefined;
      };
    };
    readonly answer: {
      readonly oidcProvider: {
        readonly providerUuid: string;
        readonly label: string;
        readonly ownCallbackUrl: string;
        readonly ownLogoutUrl: string;
        readonly ownSignedOutUrl: string;
        readonly startUrl: string;
        readonly issuer: string;
        readonly clientId: string;
        readonly isEnabled: boolean;
        readonly domains: ReadonlyArray<string>;
        readonly scopes: ReadonlyArray<string>;
        readonly acceptsUnverifiedEmail: boolean;
        readonly roleClaim?: string;
        readonly roleRules: ReadonlyArray<{
          readonly value: string;
          readonly role: 'viewer' | 'operator' | 'admin';
          readonly scope?: {
            readonly locationUuids: ReadonlyArray<string>;
            readonly cameraUuids: ReadonlyArray<string>;
          };
        }>;
        readonly defaultRole?: 'viewer' | 'operator' | 'admin';
        readonly defaultScope?: {
          readonly locationUuids: ReadonlyArray<string>;
          readonly cameraUuids: ReadonlyArray<string>;
        };
        readonly createdAtMs: number;
      };
    };
  };
  'console/addPasskey': {
    readonly request: {
      readonly name: string;
      readonly passkey: {
        readonly id: string;
        readonly clientDataJSON: string;
        readonly attestationObject: string;
        readonly transports?: ReadonlyArray<string> | undefined;
      };
    };
    readonly answer: {
      readonly passkey: {
        readonly passkeyUuid: string;
        readonly name: string;
        readonly createdAtMs: number;
        readonly lastUsedAtMs?: number;
        readonly isSynced: boolean;
        readonly isBackedUp: boolean;
        readonly works: boolean;
        readonly hostName: string;
      };
    };
  };
  'console/addPushSubscription': {
    readonly request: {
      readonly endpoint: string;
      readonly p256dh: string;
      readonly auth: string;
    };
    readonly answer: {
      readonly pushSubscriptionUuid: string;
    };
  };
  'console/addSamlProvider': {
    readonly request: {
      readonly label: string;
      readonly metadata: {
        readonly metadataUrl?: string | undefined;
        readonly metadataXml?: string | undefined;
        readonly entityId?: string | undefined;
        readonly pinnedCertificate?: string | undefined;
      };
      readonly settings: {
        readonly isEnabled: boolean;
        readonly domains: ReadonlyArray<string>;
        readonly signed: 'EITHER' | 'ASSERTION' | 'RESPONSE' | 'BOTH';
        readonly requiresEncryption: boolean;
        readonly allowsUnsolicited: boolean;
        readonly clockSkewSec: number;
        readonly emailAttribute?: string | undefined;
        readonly nameAttribute?: string | undefined;
        readonly roleAttribute?: string | undefined;
        readonly roleRules: ReadonlyArray<{
          readonly value: string;
          readonly role: 'viewer' | 'operator' | 'admin';
          readonly scope?: {
            readonly locationUuids: ReadonlyArray<string>;
            readonly cameraUuids: ReadonlyArray<string>;
          } | undefined;
        }>;
        readonly defaultRole?: 'viewer' | 'operator' | 'admin' | undefined;
        readonly defaultScope?: {
          readonly locationUuids: ReadonlyArray<string>;
          readonly cameraUuids: ReadonlyArray<string>;
        } | undefined;
      };
    };
    readonly answer: {
      readonly samlProvider: {
        readonly providerUuid: string;
        readonly label: string;
        readonly ownEntityId: string;
        readonly ownAcsUrl: string;
        readonly ownLogoutUrl: string;
        readonly startUrl: string;
        readonly entityId: string;
        readonly signInUrl: string;
        readonly logoutUrl?: string;
        readonly certificates: ReadonlyArray<{
          readonly fingerprint: string;
          readonly subject: string;
          readonly validFromMs: number;
          readonly validUntilMs: number;
        }>;
        readonly metadataUrl?: string;
        readonly metadataReadAtMs: number;
        readonly metadataFault?: string;
        readonly isMetadataPinned: boolean;
        readonly isEnabled: boolean;
        readonly domains: ReadonlyArray<string>;
        readonly signed: 'EITHER' | 'ASSERTION' | 'RESPONSE' | 'BOTH';
        readonly requiresEncryption: boolean;
        readonly allowsUnsolicited: boolean;
        readonly clockSkewSec: number;
        readonly emailAttribute?: string;
        readonly nameAttribute?: string;
        readonly roleAttribute?: string;
        readonly roleRules: ReadonlyArray<{
          readonly value: string;
          readonly role: 'viewer' | 'operator' | 'admin';
          readonly scope?: {
            readonly locationUuids: ReadonlyArray<string>;
            readonly cameraUuids: ReadonlyArray<string>;
          };
        }>;
        readonly defaultRole?: 'viewer' | 'operator' | 'admin';
        readonly defaultScope?: {
          readonly locationUuids: ReadonlyArray<string>;
          readonly cameraUuids: ReadonlyArray<string>;
        };
        readonly createdAtMs: number;
      };
    };
  };
  'console/beginAddingPasskey': {
    readonly request: object;
    readonly answer: {
      readonly origin: string;
      readonly publicKey: {
        readonly challenge: string;
        readonly rp: {
          readonly id: string;
          readonly name: string;
        };
        readonly user: {
          readonly id: string;
          readonly name: string;
          readonly displayName: string;
        };
        readonly pubKeyCredParams: ReadonlyArray<{
          readonly type: 'public-key';
          readonly alg: number;
        }>;
        readonly timeout: number;
        readonly attestation: 'none';
        readonly excludeCredentials: ReadonlyArray<{
          readonly type: 'public-key';
          readonly id: string;
          readonly transports: ReadonlyArray<string>;
        }>;
        readonly authenticatorSelection: {
          readonly residentKey: 'required';
          readonly requireResidentKey: boolean;
          readonly userVerification: 'required';
        };
      };
    };
  };
  'console/beginConfirmation': {
    readonly request: object;
    readonly answer: {
      readonly origin: string;
      readonly publicKey: {
        readonly challenge: string;
        readonly rpId: string;
        readonly timeout: number;
        readonly userVerification: 'required';
        readonly allowCredentials: ReadonlyArray<{
          readonly type: 'public-key';
          readonly id: string;
          readonly transports: ReadonlyArray<string>;
        }>;
      };
    };
  };
  'console/beginInvitePasskey': {
    readonly request: {
      readonly inviteToken: string;
      readonly name?: string | undefined;
    };
    readonly answer: {
      readonly origin: string;
      readonly publicKey: {
        readonly challenge: string;
        readonly rp: {
          readonly id: string;
          readonly name: string;
        };
        readonly user: {
          readonly id: string;
          readonly name: string;
          readonly displayName: string;
        };
        readonly pubKeyCredParams: ReadonlyArray<{
          readonly type: 'public-key';
          readonly alg: number;
        }>;
        readonly timeout: number;
        readonly attestation: 'none';
        readonly excludeCredentials: ReadonlyArray<{
          readonly type: 'public-key';
          readonly id: string;
          readonly transports: ReadonlyArray<string>;
        }>;
        readonly authenticatorSelection: {
          readonly residentKey: 'required';
          readonly requireResidentKey: boolean;
          readonly userVerification: 'required';
        };
      };
    };
  };
  'console/beginPasskeySignIn': {
    readonly request: object;
    readonly answer: {
      readonly origin: string;
      readonly publicKey: {
        readonly challenge: string;
        readonly rpId: string;
        readonly timeout: number;
        readonly userVerification: 'required';
        readonly allowCredentials: ReadonlyArray<{
          readonly type: 'public-key';
          readonly id: string;
          readonly transports: ReadonlyArray<string>;
        }>;
      };
    };
  };
  'console/beginPushSubscription': {
    readonly request: object;
    readonly answer: {
      readonly applicationServerKey: string;
    };
  };
  'console/beginSamlTest': {
    readonly request: {
      readonly providerUuid: string;
    };
    readonly answer: {
      readonly testUrl: string;
    };
  };
  'console/changePassword': {
    readonly request: {
      readonly currentPassword?: string | undefined;
      readonly newPassword: string;
    };
    readonly answer: object;
  };
  'console/checkSignInDomain': {
    readonly request: {
      readonly domain: string;
    };
    readonly answer: {
      readonly domain: {
        readonly domain: string;
        readonly providerUuid: string;
        readonly isWorking: boolean;
        readonly recordName: string;
        readonly recordText: string;
      };
    };
  };
  'console/confirmIdentity': {
    readonly request: {
      readonly currentPassword?: string | undefined;
      readonly passkey?: {
        readonly id: string;
        readonly clientDataJSON: string;
        readonly authenticatorData: string;
        readonly signature: string;
        readonly userHandle?: string | undefined;
      } | undefined;
    };
    readonly answer: object;
  };
  'console/createPublicUrlCheck': {
    readonly request: object;
    readonly answer: {
      readonly checkId: string;
      readonly pageUrl: string;
      readonly endsAtMs: number;
    };
  };
  'console/createScimToken': {
    readonly request: {
      readonly name: string;
    };
    readonly answer: {
      readonly token: string;
      readonly tokenUuid: string;
    };
  };
  'console/createSupportBundle': {
    readonly request: object;
    readonly answer: {
      readonly fileName: string;
      readonly contentBase64: string;
      readonly sizeBytes: number;
    };
  };
  'console/deleteAlarmReceiver': {
    readonly request: {
      readonly alarmReceiverUuid: string;
    };
    readonly answer: object;
  };
  'console/deleteOidcProvider': {
    readonly request: {
      readonly providerUuid: string;
    };
    readonly answer: object;
  };
  'console/deletePasskey': {
    readonly request: {
      readonly passkeyUuid: string;
    };
    readonly answer: object;
  };
  'console/deletePerson': {
    readonly request: {
      readonly personUuid: string;
    };
    readonly answer: object;
  };
  'console/deletePushSubscription': {
    readonly request: {
      readonly pushSubscriptionUuid: string;
    };
    readonly answer: object;
  };
  'console/deleteSamlProvider': {
    readonly request: {
      readonly providerUuid: string;
    };
    readonly answer: object;
  };
  'console/deleteScimMapping': {
    readonly request: {
      readonly mappingUuid: string;
    };
    readonly answer: object;
  };
  'console/endSession': {
    readonly request: {
      readonly sessionUuid: string;
    };
    readonly answer: object;
  };
  'console/findSignInProvider': {
    readonly request: {
      readonly email: string;
    };
    readonly answer: {
      readonly provider?: {
        readonly protocol: 'SAML' | 'OIDC';
        readonly label: string;
        readonly startUrl: string;
      };
    };
  };
  'console/finishSamlKeyRenewal': {
    readonly request: object;
    readonly answer: {
      readonly ownCertificates: ReadonlyArray<{
        readonly fingerprint: string;
        readonly subject: string;
        readonly validFromMs: number;
        readonly validUntilMs: number;
      }>;
    };
  };
  'console/getAlarmReceivers': {
    readonly request: object;
    readonly answer: {
      readonly alarmReceivers: ReadonlyArray<{
        readonly alarmReceiverUuid: string;
        readonly name: string;
        readonly format: 'PLAIN' | 'IMMIX' | 'SUREVIEW';
        readonly address?: string;
        readonly locationUuids: ReadonlyArray<string>;
        readonly minValidationLevel?: number;
        readonly inputs: ReadonlyArray<{
          readonly deviceUuid: string;
          readonly address?: string;
          readonly input: number;
        }>;
        readonly disabled: boolean;
      }>;
    };
  };
  'console/getCounters': {
    readonly request: {
      readonly cameraUuid?: string | undefined;
      readonly profile?: 'main' | 'sub' | 'h264' | undefined;
      readonly sinceMs?: number | undefined;
    };
    readonly answer: {
      readonly intervalMs: number;
      readonly timesMs: ReadonlyArray<number>;
      readonly counters: Readonly<Record<string, unknown>>;
    };
  };
  'console/getEffectiveConfig': {
    readonly request: {
      readonly list?: 'locations' | 'nvrs' | 'cameras' | undefined;
      readonly offset?: number | undefined;
      readonly limit?: number | undefined;
    };
    readonly answer: {
      readonly file?: string;
      readonly settings: ReadonlyArray<{
        readonly path: string;
        readonly value?: string;
        readonly isSecret: boolean;
        readonly isSet: boolean;
        readonly expected: string;
        readonly choices: ReadonlyArray<string>;
        readonly meaning: string;
        readonly defaultValue?: string;
        readonly whenAbsent?: string;
        readonly source: 'default' | 'file' | 'console' | 'environment';
        readonly file?: string;
        readonly line?: number;
        readonly variable?: string;
        readonly appliesOn: 'reload' | 'restart';
        readonly isPending: boolean;
        readonly nextValue?: string;
        readonly isInConsole: boolean;
        readonly consoleValue?: string;
        readonly lock?: 'environment' | 'start' | 'machine' | 'record';
        readonly isOfNode: boolean;
      }>;
      readonly revision: number;
      readonly ignoredBecause?: 'option' | 'invalid' | 'unreadable' | 'start';
      readonly ignoredDetail?: string;
      readonly locations: number;
      readonly nvrs: number;
      readonly cameras: number;
    };
  };
  'console/getLogTail': {
    readonly request: {
      readonly afterId?: number | undefined;
      readonly level?: 'error' | 'warn' | 'info' | 'debug' | undefined;
      readonly text?: string | undefined;
      readonly limit?: number | undefined;
    };
    readonly answer: {
      readonly records: ReadonlyArray<{
        readonly id: number;
        readonly thread: 'gateway' | 'api';
        readonly level: 'error' | 'warn' | 'info' | 'debug';
        readonly timestampMs?: number;
        readonly message: string;
        readonly fieldsJson: string;
      }>;
      readonly lastId: number;
    };
  };
  'console/getMailSettings': {
    readonly request: object;
    readonly answer: {
      readonly mailSettings: {
        readonly isSetUp: boolean;
        readonly senderAddress?: string;
        readonly senderName?: string;
        readonly replyTo?: string;
      };
    };
  };
  'console/getMails': {
    readonly request: {
      readonly forUuid?: string | undefined;
      readonly lastEvaluatedKey?: string | undefined;
      readonly maxPageSize?: number | undefined;
    };
    readonly answer: {
      readonly mails: ReadonlyArray<{
        readonly mailUuid: string;
        readonly topic: 'TEST' | 'ALERTS' | 'HEALTH' | 'SYSTEM' | 'ALARM' | 'INVITATION' | 'LINK' | 'EMERGENCY';
        readonly forUuid?: string;
        readonly to: string;
        readonly subject: string;
        readonly state: 'PENDING' | 'DELIVERED' | 'FAILED';
        readonly attempts: ReadonlyArray<{
          readonly timestampMs: number;
          readonly durationMs: number;
          readonly smtpStatus?: number;
          readonly reply: string;
          readonly errorCode?: string;
        }>;
        readonly nextAttemptAtMs?: number;
        readonly createdAtMs: number;
      }>;
      readonly lastEvaluatedKey?: string;
    };
  };
  'console/getMediaAddresses': {
    readonly request: object;
    readonly answer: {
      readonly publicUrl: string;
      readonly listensAt: string;
      readonly port: number;
      readonly isLoopbackOnly: boolean;
      readonly addresses: ReadonlyArray<{
        readonly url: string;
        readonly address: string;
        readonly interfaceName: string;
        readonly reach: 'this-machine' | 'own-network' | 'everyone' | 'unknown';
      }>;
    };
  };
  'console/getOidcProviders': {
    readonly request: object;
    readonly answer: {
      readonly oidcProviders: ReadonlyArray<{
        readonly providerUuid: string;
        readonly label: string;
        readonly ownCallbackUrl: string;
        readonly ownLogoutUrl: string;
        readonly ownSignedOutUrl: string;
        readonly startUrl: string;
        readonly issuer: string;
        readonly clientId: string;
        readonly isEnabled: boolean;
        readonly domains: ReadonlyArray<string>;
        readonly scopes: ReadonlyArray<string>;
        readonly acceptsUnverifiedEmail: boolean;
        readonly roleClaim?: string;
        readonly roleRules: ReadonlyArray<{
          readonly value: string;
          readonly role: 'viewer' | 'operator' | 'admin';
          readonly scope?: {
            readonly locationUuids: ReadonlyArray<string>;
            readonly cameraUuids: ReadonlyArray<string>;
          };
        }>;
        readonly defaultRole?: 'viewer' | 'operator' | 'admin';
        readonly defaultScope?: {
          readonly locationUuids: ReadonlyArray<string>;
          readonly cameraUuids: ReadonlyArray<string>;
        };
        readonly createdAtMs: number;
      }>;
    };
  };
  'console/getPasskeys': {
    readonly request: object;
    readonly answer: {
      readonly passkeys: ReadonlyArray<{
        readonly passkeyUuid: string;
        readonly name: string;
        readonly createdAtMs: number;
        readonly lastUsedAtMs?: number;
        readonly isSynced: boolean;
        readonly isBackedUp: boolean;
        readonly works: boolean;
        readonly hostName: string;
      }>;
      readonly origin?: string;
      readonly obstacle?: 'IP_ADDRESS' | 'PLAIN_HTTP';
      readonly isConfirmed: boolean;
    };
  };
  'console/getPeople': {
    readonly request: object;
    readonly answer: {
      readonly people: ReadonlyArray<{
        readonly personUuid: string;
        readonly name: string;
        readonly email?: string;
        readonly role: 'viewer' | 'operator' | 'admin';
        readonly scope?: {
          readonly locationUuids: ReadonlyArray<string>;
          readonly cameraUuids: ReadonlyArray<string>;
        };
        readonly hasPassword: boolean;
        readonly disabled: boolean;
        readonly createdAtMs: number;
        readonly lastSignInAtMs?: number;
      }>;
      readonly invitations: ReadonlyArray<{
        readonly invitationUuid: string;
        readonly name: string;
        readonly email: string;
        readonly role: 'viewer' | 'operator' | 'admin';
        readonly scope?: {
          readonly locationUuids: ReadonlyArray<string>;
          readonly cameraUuids: ReadonlyArray<string>;
        };
        readonly expiresAtMs: number;
      }>;
      readonly mailRefusals: ReadonlyArray<{
        readonly personUuid: string;
        readonly reply: string;
        readonly refusedAtMs: number;
      }>;
      readonly provisionedUuids: ReadonlyArray<string>;
      readonly groupsDecide: boolean;
    };
  };
  'console/getPublicUrlVisits': {
    readonly request: {
      readonly checkId: string;
    };
    readonly answer: {
      readonly visits: ReadonlyArray<{
        readonly address: string;
        readonly reach: 'this-machine' | 'own-network' | 'everyone' | 'unknown';
        readonly peerAddress: string;
        readonly proxyHeaders: ReadonlyArray<string>;
        readonly openedAt: string;
      }>;
    };
  };
  'console/getPushSubscriptions': {
    readonly request: object;
    readonly answer: {
      readonly pushSubscriptions: ReadonlyArray<{
        readonly pushSubscriptionUuid: string;
        readonly host: string;
        readonly userAgent?: string;
        readonly isCurrent: boolean;
        readonly createdAtMs: number;
      }>;
    };
  };
  'console/getSamlProviders': {
    readonly request: object;
    readonly answer: {
      readonly samlProviders: ReadonlyArray<{
        readonly providerUuid: string;
        readonly label: string;
        readonly ownEntityId: string;
        readonly ownAcsUrl: string;
        readonly ownLogoutUrl: string;
        readonly startUrl: string;
        readonly entityId: string;
        readonly signInUrl: string;
        readonly logoutUrl?: string;
        readonly certificates: ReadonlyArray<{
          readonly fingerprint: string;
          readonly subject: string;
          readonly validFromMs: number;
          readonly validUntilMs: number;
        }>;
        readonly metadataUrl?: string;
        readonly metadataReadAtMs: number;
        readonly metadataFault?: string;
        readonly isMetadataPinned: boolean;
        readonly isEnabled: boolean;
        readonly domains: ReadonlyArray<string>;
        readonly signed: 'EITHER' | 'ASSERTION' | 'RESPONSE' | 'BOTH';
        readonly requiresEncryption: boolean;
        readonly allowsUnsolicited: boolean;
        readonly clockSkewSec: number;
        readonly emailAttribute?: string;
        readonly nameAttribute?: string;
        readonly roleAttribute?: string;
        readonly roleRules: ReadonlyArray<{
          readonly value: string;
          readonly role: 'viewer' | 'operator' | 'admin';
          readonly scope?: {
            readonly locationUuids: ReadonlyArray<string>;
            readonly cameraUuids: ReadonlyArray<string>;
          };
        }>;
        readonly defaultRole?: 'viewer' | 'operator' | 'admin';
        readonly defaultScope?: {
          readonly locationUuids: ReadonlyArray<string>;
          readonly cameraUuids: ReadonlyArray<string>;
        };
        readonly createdAtMs: number;
      }>;
      readonly ownCertificates: ReadonlyArray<{
        readonly fingerprint: string;
        readonly subject: string;
        readonly validFromMs: number;
        readonly validUntilMs: number;
      }>;
    };
  };
  'console/getSamlTestReport': {
    readonly request: {
      readonly providerUuid: string;
    };
    readonly answer: {
      readonly report?: {
        readonly testedAtMs: number;
        readonly code?: string;
        readonly reason: string;
        readonly person?: {
          readonly nameId: string;
          readonly nameIdFormat?: string;
          readonly email?: string;
          readonly name?: string;
          readonly isEncrypted: boolean;
          readonly attributes: ReadonlyArray<{
            readonly name: string;
            readonly values: ReadonlyArray<string>;
          }>;
          readonly role?: 'viewer' | 'operator' | 'admin';
          readonly scope?: {
            readonly locationUuids: ReadonlyArray<string>;
            readonly cameraUuids: ReadonlyArray<string>;
          };
        };
      };
    };
  };
  'console/getScimProvisioning': {
    readonly request: object;
    readonly answer: {
      readonly baseUrl: string;
      readonly tokens: ReadonlyArray<{
        readonly tokenUuid: string;
        readonly name: string;
        readonly createdAtMs: number;
        readonly lastRequest?: {
          readonly atMs: number;
          readonly method: string;
          readonly path: string;
          readonly status: number;
          readonly detail?: string;
        };
      }>;
      readonly mappings: ReadonlyArray<{
        readonly mappingUuid: string;
        readonly group: string;
        readonly role: 'viewer' | 'operator' | 'admin';
        readonly scope?: {
          readonly locationUuids: ReadonlyArray<string>;
          readonly cameraUuids: ReadonlyArray<string>;
        };
      }>;
      readonly groups: ReadonlyArray<{
        readonly groupUuid: string;
        readonly name: string;
        readonly externalId?: string;
        readonly memberCount: number;
      }>;
    };
  };
  'console/getServiceHistory': {
    readonly request: {
      readonly sharedLiveVideoStreamUuid?: string | undefined;
      readonly source?: 'probe' | 'viewers' | undefined;
    };
    readonly answer: {
      readonly intervalMs: number;
      readonly timesMs: ReadonlyArray<number>;
      readonly counters: Readonly<Record<string, unknown>>;
    };
  };
  'console/getServiceLevels': {
    readonly request: object;
    readonly answer: {
      readonly everyMs: number;
      readonly runMs: number;
      readonly through: 'listener' | 'public';
      readonly hasViewerReports: boolean;
      readonly firstPictureWithinMs: number;
      readonly delayWithinMs: number;
      readonly processState: 'off' | 'starting' | 'running' | 'waiting';
      readonly processStarts: number;
      readonly processId?: number;
      readonly probe: {
        readonly hour: {
          readonly measurements: number;
          readonly firstPictures: number;
          readonly missingPictures: number;
          readonly firstPictureP50Ms?: number;
          readonly firstPictureP95Ms?: number;
          readonly firstPictureP99Ms?: number;
          readonly delayP50Ms?: number;
          readonly delayP95Ms?: number;
          readonly delayP99Ms?: number;
          readonly playedSec: number;
          readonly stalledSec: number;
          readonly stalls: number;
          readonly requests: number;
          readonly failedRequests: number;
          readonly errors: ReadonlyArray<{
            readonly reason: string;
            readonly count: number;
          }>;
        };
        readonly day: {
          readonly measurements: number;
          readonly firstPictures: number;
          readonly missingPictures: number;
          readonly firstPictureP50Ms?: number;
          readonly firstPictureP95Ms?: number;
          readonly firstPictureP99Ms?: number;
          readonly delayP50Ms?: number;
          readonly delayP95Ms?: number;
          readonly delayP99Ms?: number;
          readonly playedSec: number;
          readonly stalledSec: number;
          readonly stalls: number;
          readonly requests: number;
          readonly failedRequests: number;
          readonly errors: ReadonlyArray<{
            readonly reason: string;
            readonly count: number;
          }>;
        };
        readonly goals: ReadonlyArray<{
          readonly goal: 'firstPicture' | 'delay' | 'stalls' | 'errors';
          readonly targetPercent: number;
          readonly attainedPercent?: number;
          readonly budgetLeftPercent?: number;
        }>;
      };
      readonly viewers: {
        readonly hour: {
          readonly measurements: number;
          readonly firstPictures: number;
          readonly missingPictures: number;
          readonly firstPictureP50Ms?: number;
          readonly firstPictureP95Ms?: number;
          readonly firstPictureP99Ms?: number;
          readonly delayP50Ms?: number;
          readonly delayP95Ms?: number;
          readonly delayP99Ms?: number;
          readonly playedSec: number;
          readonly stalledSec: number;
          readonly stalls: number;
          readonly requests: number;
          readonly failedRequests: number;
          readonly errors: ReadonlyArray<{
            readonly reason: string;
            readonly count: number;
          }>;
        };
        readonly day: {
          readonly measurements: number;
          readonly firstPictures: number;
          readonly missingPictures: number;
          readonly firstPictureP50Ms?: number;
          readonly firstPictureP95Ms?: number;
          readonly firstPictureP99Ms?: number;
          readonly delayP50Ms?: number;
          readonly delayP95Ms?: number;
          readonly delayP99Ms?: number;
          readonly playedSec: number;
          readonly stalledSec: number;
          readonly stalls: number;
          readonly requests: number;
          readonly failedRequests: number;
          readonly errors: ReadonlyArray<{
            readonly reason: string;
            readonly count: number;
          }>;
        };
        readonly goals: ReadonlyArray<{
          readonly goal: 'firstPicture' | 'delay' | 'stalls' | 'errors';
          readonly targetPercent: number;
          readonly attainedPercent?: number;
          readonly budgetLeftPercent?: number;
        }>;
      };
      readonly shares: ReadonlyArray<{
        readonly sharedLiveVideoStreamUuid: string;
        readonly name: string;
        readonly cameraUuid?: string;
        readonly isProbed: boolean;
        readonly state?: 'waiting' | 'measured' | 'failing' | 'camera-offline' | 'sound-only' | 'hidden' | 'expired' | 'revoked' | 'refused';
        readonly reason?: string;
        readonly isRunning: boolean;
        readonly runs: ReadonlyArray<{
          readonly startedAtMs: number;
          readonly outcome: 'played' | 'refused' | 'camera-offline' | 'sound-only' | 'failed';
          readonly reason?: string;
          readonly protocol?: 'http/1.1' | 'h2';
          readonly isCold: boolean;
          readonly firstPictureMs?: number;
          readonly playedSec: number;
          readonly stalledSec: number;
          readonly stalls: number;
          readonly requests: number;
          readonly failedRequests: number;
        }>;
        readonly probe?: {
          readonly hour: {
            readonly measurements: number;
            readonly firstPictures: number;
            readonly missingPictures: number;
            readonly firstPictureP50Ms?: number;
            readonly firstPictureP95Ms?: number;
            readonly firstPictureP99Ms?: number;
            readonly delayP50Ms?: number;
            readonly delayP95Ms?: number;
            readonly delayP99Ms?: number;
            readonly playedSec: number;
            readonly stalledSec: number;
            readonly stalls: number;
            readonly requests: number;
            readonly failedRequests: number;
            readonly errors: ReadonlyArray<{
              readonly reason: string;
              readonly count: number;
            }>;
          };
          readonly day: {
            readonly measurements: number;
            readonly firstPictures: number;
            readonly missingPictures: number;
            readonly firstPictureP50Ms?: number;
            readonly firstPictureP95Ms?: number;
            readonly firstPictureP99Ms?: number;
            readonly delayP50Ms?: number;
            readonly delayP95Ms?: number;
            readonly delayP99Ms?: number;
            readonly playedSec: number;
            readonly stalledSec: number;
            readonly stalls: number;
            readonly requests: number;
            readonly failedRequests: number;
            readonly errors: ReadonlyArray<{
              readonly reason: string;
              readonly count: number;
            }>;
          };
          readonly goals: ReadonlyArray<{
            readonly goal: 'firstPicture' | 'delay' | 'stalls' | 'errors';
            readonly targetPercent: number;
            readonly attainedPercent?: number;
            readonly budgetLeftPercent?: number;
          }>;
        };
        readonly viewers?: {
          readonly hour: {
            readonly measurements: number;
            readonly firstPictures: number;
            readonly missingPictures: number;
            readonly firstPictureP50Ms?: number;
            readonly firstPictureP95Ms?: number;
            readonly firstPictureP99Ms?: number;
            readonly delayP50Ms?: number;
            readonly delayP95Ms?: number;
            readonly delayP99Ms?: number;
            readonly playedSec: number;
            readonly stalledSec: number;
            readonly stalls: number;
            readonly requests: number;
            readonly failedRequests: number;
            readonly errors: ReadonlyArray<{
              readonly reason: string;
              readonly count: number;
            }>;
          };
          readonly day: {
            readonly measurements: number;
            readonly firstPictures: number;
            readonly missingPictures: number;
            readonly firstPictureP50Ms?: number;
            readonly firstPictureP95Ms?: number;
            readonly firstPictureP99Ms?: number;
            readonly delayP50Ms?: number;
            readonly delayP95Ms?: number;
            readonly delayP99Ms?: number;
            readonly playedSec: number;
            readonly stalledSec: number;
            readonly stalls: number;
            readonly requests: number;
            readonly failedRequests: number;
            readonly errors: ReadonlyArray<{
              readonly reason: string;
              readonly count: number;
            }>;
          };
          readonly goals: ReadonlyArray<{
            readonly goal: 'firstPicture' | 'delay' | 'stalls' | 'errors';
            readonly targetPercent: number;
            readonly attainedPercent?: number;
            readonly budgetLeftPercent?: number;
          }>;
        };
      }>;
    };
  };
  'console/getSession': {
    readonly request: object;
    readonly answer: {
      readonly person?: {
        readonly personUuid: string;
        readonly name: string;
        readonly email?: string;
        readonly role: 'viewer' | 'operator' | 'admin';
        readonly scope?: {
          readonly locationUuids: ReadonlyArray<string>;
          readonly cameraUuids: ReadonlyArray<string>;
        };
        readonly hasPassword: boolean;
        readonly disabled: boolean;
        readonly createdAtMs: number;
        readonly lastSignInAtMs?: number;
      };
      readonly session?: {
        readonly sessionUuid: string;
        readonly personUuid: string;
        readonly signInMethod: 'CODE' | 'INVITATION' | 'PASSWORD' | 'PASSKEY' | 'OIDC' | 'SAML';
        readonly address: string;
        readonly userAgent?: string;
        readonly createdAtMs: number;
        readonly lastSeenAtMs: number;
        readonly endsAtMs: number;
        readonly isCurrent: boolean;
      };
      readonly hasPasskey?: boolean;
      readonly role?: 'viewer' | 'operator' | 'admin';
      readonly scope?: {
        readonly locationUuids: ReadonlyArray<string>;
        readonly cameraUuids: ReadonlyArray<string>;
      };
      readonly organization?: {
        readonly uuid: string;
        readonly name: string;
      };
      readonly publicMediaUrl: string;
      readonly mapTiles?: {
        readonly url: string;
        readonly attribution: string;
        readonly maxZoom: number;
      };
      readonly signInMethods: ReadonlyArray<'ONE_TIME_CODE' | 'PASSWORD' | 'PASSKEY' | 'OIDC'>;
      readonly ssoLabel?: string;
      readonly sendsMail: boolean;
    };
  };
  'console/getSessions': {
    readonly request: {
      readonly personUuid?: string | undefined;
      readonly everyone?: boolean | undefined;
    };
    readonly answer: {
      readonly sessions: ReadonlyArray<{
        readonly sessionUuid: string;
        readonly personUuid: string;
        readonly signInMethod: 'CODE' | 'INVITATION' | 'PASSWORD' | 'PASSKEY' | 'OIDC' | 'SAML';
        readonly address: string;
        readonly userAgent?: string;
        readonly createdAtMs: number;
        readonly lastSeenAtMs: number;
        readonly endsAtMs: number;
        readonly isCurrent: boolean;
      }>;
    };
  };
  'console/getSettingsChanges': {
    readonly request: object;
    readonly answer: {
      readonly revision: number;
      readonly changes: ReadonlyArray<{
        readonly revision: number;
        readonly changedAtMs: number;
        readonly actorUuid: string;
        readonly actorName: string;
        readonly settings: ReadonlyArray<{
          readonly path: string;
          readonly nodeId?: string;
          readonly isSecret: boolean;
          readonly wasInConsole: boolean;
          readonly isInConsole: boolean;
          readonly before?: string;
          readonly after?: string;
        }>;
        readonly revertsRevision?: number;
      }>;
    };
  };
  'console/getSignInDomains': {
    readonly request: object;
    readonly answer: {
      readonly domains: ReadonlyArray<{
        readonly domain: string;
        readonly providerUuid: string;
        readonly isWorking: boolean;
        readonly recordName: string;
        readonly recordText: string;
      }>;
    };
  };
  'console/getSystemState': {
    readonly request: object;
    readonly answer: {
      readonly state: {
        readonly version: string;
        readonly nodeId: string;
        readonly hostName: string;
        readonly nodeVersion: string;
        readonly platform: string;
        readonly startedAt: string;
        readonly uptimeMs: number;
        readonly wallClockStepMs: number;
        readonly threads: ReadonlyArray<{
          readonly name: string;
          readonly state: 'running' | 'idle' | 'restarting';
          readonly starts?: number;
          readonly busySec?: number;
          readonly heapBytes?: number;
        }>;
        readonly memory: ReadonlyArray<{
          readonly part: string;
          readonly bytes: number;
        }>;
        readonly cameras: Readonly<Record<string, number>>;
        readonly pausedOffline: number;
        readonly openStreams: number;
        readonly liveStreams: number;
        readonly viewers: number;
        readonly workers: {
          readonly running: number;
          readonly maxWorkers: number;
          readonly cores: number;
          readonly waiting: Readonly<Record<string, number>>;
          readonly refused: number;
          readonly maxCores?: number;
          readonly active: ReadonlyArray<{
            readonly purpose: 'camera' | 'h264' | 'mask' | 'past' | 'sound' | 'picture' | 'clip' | 'other';
            readonly cameraUuid?: string;
            readonly cameraName?: string;
            readonly cores: number;
            readonly isYielding: boolean;
            readonly ageMs: number;
            readonly memoryBytes?: number;
          }>;
          readonly line: ReadonlyArray<{
            readonly purpose: 'camera' | 'h264' | 'mask' | 'past' | 'sound' | 'picture' | 'clip' | 'other';
            readonly cameraUuid?: string;
            readonly cameraName?: string;
            readonly cores: number;
            readonly isYielding: boolean;
            readonly ageMs: number;
            readonly urgency: 'alarm' | 'viewer' | 'recording' | 'picture';
            readonly ahead: number;
            readonly waitsFor: 'workers' | 'cores' | 'earlier';
          }>;
        };
        readonly redis?: {
          readonly isConnected: boolean;
          readonly since: string;
          readonly lastError?: string;
        };
        readonly cluster?: {
          readonly name: string;
          readonly size: number;
          readonly nodes: ReadonlyArray<{
            readonly nodeId: string;
            readonly isSelf: boolean;
            readonly address: string;
            readonly version: string;
            readonly isDraining: boolean;
            readonly isReached: boolean;
            readonly clockOffsetMs?: number;
            readonly ownedCameras: number;
            readonly openStreams: number;
            readonly viewers: number;
            readonly busyShare: number;
          }>;
        };
        readonly database: {
          readonly kind: 'sqlite' | 'postgres';
          readonly isReachable: boolean;
          readonly state: string;
          readonly sizeBytes?: number;
        };
        readonly disks: ReadonlyArray<{
          readonly use: 'data' | 'recordings';
          readonly folder: string;
          readonly freeBytes?: number;
          readonly totalBytes?: number;
        }>;
        readonly recorder: {
          readonly activeStreams: number;
          readonly failedStreams: number;
          readonly unreadableFiles: number;
          readonly waitingBytes: number;
          readonly isUploadFailing: boolean;
          readonly isClipUploadFailing: boolean;
          readonly isH264CacheFailing: boolean;
          readonly spoolBytes: number;
          readonly spoolAgeSec: number;
          readonly minFreeBytes: number;
          readonly use?: {
            readonly recordedBytes: number;
            readonly heldBytes: number;
          };
          readonly forecast?: {
            readonly bytesPerDay: number;
            readonly keptMs: number;
            readonly decidedBy: 'age' | 'cameraSize' | 'organizationSize' | 'disk';
            readonly longestKeptMs: number;
            readonly diskFullInMs?: number;
          };
        };
      };
      readonly findings: ReadonlyArray<{
        readonly code: string;
        readonly severity: 'error' | 'warning';
        readonly sentence: string;
        readonly whatToDo: string;
      }>;
    };
  };
  'console/invitePerson': {
    readonly request: {
      readonly name: string;
      readonly email: string;
      readonly role: 'viewer' | 'operator' | 'admin';
      readonly scope?: {
        readonly locationUuids: ReadonlyArray<string>;
        readonly cameraUuids: ReadonlyArray<string>;
      } | undefined;
    };
    readonly answer: {
      readonly inviteUrl: string;
      readonly invitation: {
        readonly invitationUuid: string;
        readonly name: string;
        readonly email: string;
        readonly role: 'viewer' | 'operator' | 'admin';
        readonly scope?: {
          readonly locationUuids: ReadonlyArray<string>;
          readonly cameraUuids: ReadonlyArray<string>;
        };
        readonly expiresAtMs: number;
      };
    };
  };
  'console/refreshSamlProvider': {
    readonly request: {
      readonly providerUuid: string;
    };
    readonly answer: {
      readonly samlProvider: {
        readonly providerUuid: string;
        readonly label: string;
        readonly ownEntityId: string;
        readonly ownAcsUrl: string;
        readonly ownLogoutUrl: string;
        readonly startUrl: string;
        readonly entityId: string;
        readonly signInUrl: string;
        readonly logoutUrl?: string;
        readonly certificates: ReadonlyArray<{
          readonly fingerprint: string;
          readonly subject: string;
          readonly validFromMs: number;
          readonly validUntilMs: number;
        }>;
        readonly metadataUrl?: string;
        readonly metadataReadAtMs: number;
        readonly metadataFault?: string;
        readonly isMetadataPinned: boolean;
        readonly isEnabled: boolean;
        readonly domains: ReadonlyArray<string>;
        readonly signed: 'EITHER' | 'ASSERTION' | 'RESPONSE' | 'BOTH';
        readonly requiresEncryption: boolean;
        readonly allowsUnsolicited: boolean;
        readonly clockSkewSec: number;
        readonly emailAttribute?: string;
        readonly nameAttribute?: string;
        readonly roleAttribute?: string;
        readonly roleRules: ReadonlyArray<{
          readonly value: string;
          readonly role: 'viewer' | 'operator' | 'admin';
          readonly scope?: {
            readonly locationUuids: ReadonlyArray<string>;
            readonly cameraUuids: ReadonlyArray<string>;
          };
        }>;
        readonly defaultRole?: 'viewer' | 'operator' | 'admin';
        readonly defaultScope?: {
          readonly locationUuids: ReadonlyArray<string>;
          readonly cameraUuids: ReadonlyArray<string>;
        };
        readonly createdAtMs: number;
      };
    };
  };
  'console/reloadConfig': {
    readonly request: object;
    readonly answer: {
      readonly locations: {
        readonly created: number;
        readonly updated: number;
        readonly unchanged: number;
        readonly removed: number;
      };
      readonly nvrs: {
        readonly created: number;
        readonly updated: number;
        readonly unchanged: number;
        readonly removed: number;
      };
      readonly cameras: {
        readonly created: number;
        readonly updated: number;
        readonly unchanged: number;
        readonly removed: number;
      };
      readonly applied: ReadonlyArray<string>;
      readonly needsRestart: ReadonlyArray<string>;
    };
  };
  'console/renamePasskey': {
    readonly request: {
      readonly passkeyUuid: string;
      readonly name: string;
    };
    readonly answer: {
      readonly passkey: {
        readonly passkeyUuid: string;
        readonly name: string;
        readonly createdAtMs: number;
        readonly lastUsedAtMs?: number;
        readonly isSynced: boolean;
        readonly isBackedUp: boolean;
        readonly works: boolean;
        readonly hostName: string;
      };
    };
  };
  'console/renewSamlKey': {
    readonly request: object;
    readonly answer: {
      readonly ownCertificates: ReadonlyArray<{
        readonly fingerprint: string;
        readonly subject: string;
        readonly validFromMs: number;
        readonly validUntilMs: number;
      }>;
    };
  };
  'console/restartGateway': {
    readonly request: object;
    readonly answer: object;
  };
  'console/revertSettings': {
    readonly request: {
      readonly revision: number;
      readonly changeRevision: number;
    };
    readonly answer: {
      readonly revision: number;
      readonly applied: ReadonlyArray<string>;
      readonly needsRestart: ReadonlyArray<string>;
    };
  };
  'console/revokeScimToken': {
    readonly request: {
      readonly tokenUuid: string;
    };
    readonly answer: object;
  };
  'console/sendAlarmTest': {
    readonly request: {
      readonly alarmReceiverUuid: string;
      readonly cameraUuid?: string | undefined;
    };
    readonly answer: {
      readonly delivered: boolean;
      readonly smtpStatus?: number;
      readonly reply: string;
      readonly durationMs: number;
      readonly errorCode?: string;
      readonly errorSentence?: string;
    };
  };
  'console/sendLinkMail': {
    readonly request: {
      readonly url: string;
      readonly to: string;
      readonly name: string;
      readonly language?: 'en' | 'de' | 'es' | undefined;
    };
    readonly answer: {
      readonly mailUuid: string;
    };
  };
  'console/sendTestMail': {
    readonly request: {
      readonly to: string;
      readonly language?: 'en' | 'de' | 'es' | undefined;
    };
    readonly answer: {
      readonly delivered: boolean;
      readonly smtpStatus?: number;
      readonly reply: string;
      readonly durationMs: number;
      readonly errorCode?: string;
      readonly errorSentence?: string;
    };
  };
  'console/setAlarmReceiver': {
    readonly request: {
      readonly alarmReceiverUuid?: string | undefined;
      readonly name: string;
      readonly format?: 'PLAIN' | 'IMMIX' | 'SUREVIEW' | undefined;
      readonly address?: string | undefined;
      readonly locationUuids?: ReadonlyArray<string> | undefined;
      readonly minValidationLevel?: number | undefined;
      readonly inputs?: ReadonlyArray<{
        readonly deviceUuid: string;
        readonly address?: string | undefined;
        readonly input: number;
      }> | undefined;
      readonly disabled?: boolean | undefined;
    };
    readonly answer: {
      readonly alarmReceiverUuid: string;
    };
  };
  'console/setScimMapping': {
    readonly request: {
      readonly group: string;
      readonly role: 'viewer' | 'operator' | 'admin';
      readonly scope?: {
        readonly locationUuids: ReadonlyArray<string>;
        readonly cameraUuids: ReadonlyArray<string>;
      } | undefined;
    };
    readonly answer: {
      readonly mapping: {
        readonly mappingUuid: string;
        readonly group: string;
        readonly role: 'viewer' | 'operator' | 'admin';
        readonly scope?: {
          readonly locationUuids: ReadonlyArray<string>;
          readonly cameraUuids: ReadonlyArray<string>;
        };
      };
    };
  };
  'console/signIn': {
    readonly request: {
      readonly oneTimeCode?: string | undefined;
      readonly email?: string | undefined;
      readonly password?: string | undefined;
    };
    readonly answer: {
      readonly person: {
        readonly personUuid: string;
        readonly name: string;
        readonly email?: string;
        readonly role: 'viewer' | 'operator' | 'admin';
        readonly scope?: {
          readonly locationUuids: ReadonlyArray<string>;
          readonly cameraUuids: ReadonlyArray<string>;
        };
        readonly hasPassword: boolean;
        readonly disabled: boolean;
        readonly createdAtMs: number;
        readonly lastSignInAtMs?: number;
      };
    };
  };
  'console/signInWithPasskey': {
    readonly request: {
      readonly passkey: {
        readonly id: string;
        readonly clientDataJSON: string;
        readonly authenticatorData: string;
        readonly signature: string;
        readonly userHandle?: string | undefined;
      };
    };
    readonly answer: {
      readonly person: {
        readonly personUuid: string;
        readonly name: string;
        readonly email?: string;
        readonly role: 'viewer' | 'operator' | 'admin';
        readonly scope?: {
          readonly locationUuids: ReadonlyArray<string>;
          readonly cameraUuids: ReadonlyArray<string>;
        };
        readonly hasPassword: boolean;
        readonly disabled: boolean;
        readonly createdAtMs: number;
        readonly lastSignInAtMs?: number;
      };
    };
  };
  'console/signOut': {
    readonly request: object;
    readonly answer: {
      readonly continuesAtProvider: boolean;
      readonly providerEndPath?: string;
    };
  };
  'console/updateMailSettings': {
    readonly request: {
      readonly senderName?: string | undefined;
      readonly replyTo?: string | undefined;
    };
    readonly answer: object;
  };
  'console/updateOidcProvider': {
    readonly request: {
      readonly providerUuid: string;
      readonly label?: string | undefined;
      readonly issuer?: string | undefined;
      readonly clientId?: string | undefined;
      readonly clientSecret?: string | undefined;
      readonly settings?: {
        readonly isEnabled: boolean;
        readonly domains: ReadonlyArray<string>;
        readonly scopes: ReadonlyArray<string>;
        readonly acceptsUnverifiedEmail: boolean;
        readonly roleClaim?: string | undefined;
        readonly roleRules: ReadonlyArray<{
          readonly value: string;
          readonly role: 'viewer' | 'operator' | 'admin';
          readonly scope?: {
            readonly locationUuids: ReadonlyArray<string>;
            readonly cameraUuids: ReadonlyArray<string>;
          } | undefined;
        }>;
        readonly defaultRole?: 'viewer' | 'operator' | 'admin' | undefined;
        readonly defaultScope?: {
          readonly locationUuids: ReadonlyArray<string>;
          readonly cameraUuids: ReadonlyArray<string>;
        } | undefined;
      } | undefined;
    };
    readonly answer: {
      readonly oidcProvider: {
        readonly providerUuid: string;
        readonly label: string;
        readonly ownCallbackUrl: string;
        readonly ownLogoutUrl: string;
        readonly ownSignedOutUrl: string;
        readonly startUrl: string;
        readonly issuer: string;
        readonly clientId: string;
        readonly isEnabled: boolean;
        readonly domains: ReadonlyArray<string>;
        readonly scopes: ReadonlyArray<string>;
        readonly acceptsUnverifiedEmail: boolean;
        readonly roleClaim?: string;
        readonly roleRules: ReadonlyArray<{
          readonly value: string;
          readonly role: 'viewer' | 'operator' | 'admin';
          readonly scope?: {
            readonly locationUuids: ReadonlyArray<string>;
            readonly cameraUuids: ReadonlyArray<string>;
          };
        }>;
        readonly defaultRole?: 'viewer' | 'operator' | 'admin';
        readonly defaultScope?: {
          readonly locationUuids: ReadonlyArray<string>;
          readonly cameraUuids: ReadonlyArray<string>;
        };
        readonly createdAtMs: number;
      };
    };
  };
  'console/updatePerson': {
    readonly request: {
      readonly personUuid: string;
      readonly name?: string | undefined;
      readonly email?: string | undefined;
      readonly role?: 'viewer' | 'operator' | 'admin' | undefined;
      readonly scope?: {
        readonly locationUuids: ReadonlyArray<string>;
        readonly cameraUuids: ReadonlyArray<string>;
      } | undefined;
      readonly scopeUpdated?: boolean | undefined;
      readonly disabled?: boolean | undefined;
    };
    readonly answer: {
      readonly person: {
        readonly personUuid: string;
        readonly name: string;
        readonly email?: string;
        readonly role: 'viewer' | 'operator' | 'admin';
        readonly scope?: {
          readonly locationUuids: ReadonlyArray<string>;
          readonly cameraUuids: ReadonlyArray<string>;
        };
        readonly hasPassword: boolean;
        readonly disabled: boolean;
        readonly createdAtMs: number;
        readonly lastSignInAtMs?: number;
      };
    };
  };
  'console/updateSamlProvider': {
    readonly request: {
      readonly providerUuid: string;
      readonly label?: string | undefined;
      readonly metadata?: {
        readonly metadataUrl?: string | undefined;
        readonly metadataXml?: string | undefined;
        readonly entityId?: string | undefined;
        readonly pinnedCertificate?: string | undefined;
      } | undefined;
      readonly settings?: {
        readonly isEnabled: boolean;
        readonly domains: ReadonlyArray<string>;
        readonly signed: 'EITHER' | 'ASSERTION' | 'RESPONSE' | 'BOTH';
        readonly requiresEncryption: boolean;
        readonly allowsUnsolicited: boolean;
        readonly clockSkewSec: number;
        readonly emailAttribute?: string | undefined;
        readonly nameAttribute?: string | undefined;
        readonly roleAttribute?: string | undefined;
        readonly roleRules: ReadonlyArray<{
          readonly value: string;
          readonly role: 'viewer' | 'operator' | 'admin';
          readonly scope?: {
            readonly locationUuids: ReadonlyArray<string>;
            readonly cameraUuids: ReadonlyArray<string>;
          } | undefined;
        }>;
        readonly defaultRole?: 'viewer' | 'operator' | 'admin' | undefined;
        readonly defaultScope?: {
          readonly locationUuids: ReadonlyArray<string>;
          readonly cameraUuids: ReadonlyArray<string>;
        } | undefined;
      } | undefined;
    };
    readonly answer: {
      readonly samlProvider: {
        readonly providerUuid: string;
        readonly label: string;
        readonly ownEntityId: string;
        readonly ownAcsUrl: string;
        readonly ownLogoutUrl: string;
        readonly startUrl: string;
        readonly entityId: string;
        readonly signInUrl: string;
        readonly logoutUrl?: string;
        readonly certificates: ReadonlyArray<{
          readonly fingerprint: string;
          readonly subject: string;
          readonly validFromMs: number;
          readonly validUntilMs: number;
        }>;
        readonly metadataUrl?: string;
        readonly metadataReadAtMs: number;
        readonly metadataFault?: string;
        readonly isMetadataPinned: boolean;
        readonly isEnabled: boolean;
        readonly domains: ReadonlyArray<string>;
        readonly signed: 'EITHER' | 'ASSERTION' | 'RESPONSE' | 'BOTH';
        readonly requiresEncryption: boolean;
        readonly allowsUnsolicited: boolean;
        readonly clockSkewSec: number;
        readonly emailAttribute?: string;
        readonly nameAttribute?: string;
        readonly roleAttribute?: string;
        readonly roleRules: ReadonlyArray<{
          readonly value: string;
          readonly role: 'viewer' | 'operator' | 'admin';
          readonly scope?: {
            readonly locationUuids: ReadonlyArray<string>;
            readonly cameraUuids: ReadonlyArray<string>;
          };
        }>;
        readonly defaultRole?: 'viewer' | 'operator' | 'admin';
        readonly defaultScope?: {
          readonly locationUuids: ReadonlyArray<string>;
          readonly cameraUuids: ReadonlyArray<string>;
        };
        readonly createdAtMs: number;
      };
    };
  };
  'console/updateServiceProbe': {
    readonly request: {
      readonly sharedLiveVideoStreamUuid: string;
      readonly isProbed: boolean;
    };
    readonly answer: object;
  };
  'console/updateSettings': {
    readonly request: {
      readonly revision: number;
      readonly changes: ReadonlyArray<{
        readonly path: string;
        readonly action: 'SET' | 'UNSET' | 'RESET';
        readonly value?: string | undefined;
      }>;
    };
    readonly answer: {
      readonly revision: number;
      readonly applied: ReadonlyArray<string>;
      readonly needsRestart: ReadonlyArray<string>;
    };
  };
  'console/validateConfig': {
    readonly request: {
      readonly yaml?: string | undefined;
    };
    readonly answer: {
      readonly isValid: boolean;
      readonly findings: ReadonlyArray<{
        readonly path: string;
        readonly line?: number;
        readonly column?: number;
        readonly variable?: string;
        readonly sentence: string;
      }>;
      readonly findingCount: number;
    };
  };
  'console/validatePublicUrl': {
    readonly request: object;
    readonly answer: {
      readonly publicUrl: string;
      readonly reach: 'this-machine' | 'own-network' | 'everyone' | 'unknown';
      readonly addresses: ReadonlyArray<string>;
      readonly result: 'works' | 'other-gateway' | 'dns' | 'refused' | 'unreachable' | 'timeout' | 'tls-name' | 'tls-certificate' | 'tls' | 'closed' | 'redirected' | 'other-page' | 'failed';
      readonly detail: string;
      readonly status?: number;
      readonly arrival?: {
        readonly address: string;
        readonly reach: 'this-machine' | 'own-network' | 'everyone' | 'unknown';
        readonly peerAddress: string;
        readonly proxyHeaders: ReadonlyArray<string>;
        readonly openedAt: string;
      };
    };
  };
  'console/validateSettings': {
    readonly request: {
      readonly changes: ReadonlyArray<{
        readonly path: string;
        readonly action: 'SET' | 'UNSET' | 'RESET';
        readonly value?: string | undefined;
      }>;
    };
    readonly answer: {
      readonly isValid: boolean;
      readonly findings: ReadonlyArray<{
        readonly path: string;
        readonly line?: number;
        readonly column?: number;
        readonly variable?: string;
        readonly sentence: string;
      }>;
    };
  };
  'customer/getCurrentUserNotificationSettings': {
    readonly request: {
      readonly userUuid?: string | undefined;
    };
    readonly answer: {
      readonly notificationSettings: {
        readonly orgUuid: string;
        readonly userUuid: string;
        readonly smsPhoneNumbers?: ReadonlyArray<string>;
        readonly summaryEmailEnabled?: boolean;
        readonly timeFrames?: ReadonlyArray<{
          readonly days?: ReadonlyArray<'MONDAY' | 'TUESDAY' | 'WEDNESDAY' | 'THURSDAY' | 'FRIDAY' | 'SATURDAY' | 'SUNDAY'>;
          readonly mediums?: ReadonlyArray<'SMS' | 'EMAIL' | 'APP' | 'SLACK' | 'MICROSOFT_TEAMS' | 'BROWSER' | 'UNKNOWN'>;
          readonly interval?: {
            readonly dayOfWeek?: number;
            readonly minuteOfDayStartInclusive?: number;
            readonly minuteOfDayStopExclusive?: number;
          };
          readonly rows?: ReadonlyArray<{
            readonly activities?: ReadonlyArray<string>;
            readonly diagnostics?: ReadonlyArray<string>;
            readonly locationOnlyActivities?: ReadonlyArray<string>;
            readonly locationOnlyDiagnostics?: ReadonlyArray<string>;
            readonly devices?: ReadonlyArray<string>;
            readonly locations?: ReadonlyArray<string>;
            readonly locationOnly?: ReadonlyArray<string>;
            readonly promptUuids?: ReadonlyArray<string>;
          }>;
        }>;
        readonly timeZone?: string;
        readonly language?: 'en' | 'de' | 'es';
      };
    };
  };
  'customer/updateCurrentUserNotificationSettings': {
    readonly request: {
      readonly orgUuid?: string | undefined;
      readonly userUuid?: string | undefined;
      readonly smsPhoneNumbers?: ReadonlyArray<string> | undefined;
      readonly summaryEmailEnabled?: boolean | undefined;
      readonly timeFrames?: ReadonlyArray<{
        readonly days?: ReadonlyArray<'MONDAY' | 'TUESDAY' | 'WEDNESDAY' | 'THURSDAY' | 'FRIDAY' | 'SATURDAY' | 'SUNDAY'> | undefined;
        readonly mediums?: ReadonlyArray<'SMS' | 'EMAIL' | 'APP' | 'SLACK' | 'MICROSOFT_TEAMS' | 'BROWSER' | 'UNKNOWN'> | undefined;
        readonly interval?: {
          readonly dayOfWeek?: number | undefined;
          readonly minuteOfDayStartInclusive?: number | undefined;
          readonly minuteOfDayStopExclusive?: number | undefined;
        } | undefined;
        readonly rows?: ReadonlyArray<{
          readonly activities?: ReadonlyArray<string> | undefined;
          readonly diagnostics?: ReadonlyArray<string> | undefined;
          readonly locationOnlyActivities?: ReadonlyArray<string> | undefined;
          readonly locationOnlyDiagnostics?: ReadonlyArray<string> | undefined;
          readonly devices?: ReadonlyArray<string> | undefined;
          readonly locations?: ReadonlyArray<string> | undefined;
          readonly locationOnly?: ReadonlyArray<string> | undefined;
          readonly promptUuids?: ReadonlyArray<string> | undefined;
        }> | undefined;
      }> | undefined;
      readonly timeZone?: string | undefined;
      readonly language?: 'en' | 'de' | 'es' | undefined;
      readonly updatedSetMethodMap?: Readonly<Record<string, boolean>> | undefined;
    };
    readonly answer: object;
  };
  'emergency/deleteEmergencyPartner': {
    readonly request: {
      readonly emergencyPartnerUuid: string;
    };
    readonly answer: object;
  };
  'emergency/deleteEmergencyRule': {
    readonly request: {
      readonly emergencyRuleUuid: string;
    };
    readonly answer: object;
  };
  'emergency/endEmergency': {
    readonly request: {
      readonly emergencyUuid: string;
    };
    readonly answer: object;
  };
  'emergency/extendEmergency': {
    readonly request: {
      readonly emergencyUuid: string;
      readonly minutes: number;
    };
    readonly answer: {
      readonly emergency: {
        readonly emergencyUuid: string;
        readonly title: string;
        readonly isOpen: boolean;
        readonly emergencyPartnerUuid: string;
        readonly partnerName: string;
        readonly partnerType: 'RAPIDSOS' | 'ALARM_MONITORING';
        readonly reason: string;
        readonly openedBy: string;
        readonly isByRule: boolean;
        readonly alertUuid?: string;
        readonly openedAtMs: number;
        readonly untilMs: number;
        readonly closedAtMs?: number;
        readonly closedBy?: string;
        readonly cameras: ReadonlyArray<{
          readonly cameraUuid: string;
          readonly name: string;
          readonly siteName?: string;
        }>;
        readonly extensions: ReadonlyArray<{
          readonly timestampMs: number;
          readonly by: string;
          readonly untilMs: number;
        }>;
      };
    };
  };
  'emergency/findEmergencies': {
    readonly request: {
      readonly lastEvaluatedKey?: string | undefined;
      readonly maxPageSize?: number | undefined;
    };
    readonly answer: {
      readonly emergencies: ReadonlyArray<{
        readonly emergencyUuid: string;
        readonly title: string;
        readonly isOpen: boolean;
        readonly emergencyPartnerUuid: string;
        readonly partnerName: string;
        readonly partnerType: 'RAPIDSOS' | 'ALARM_MONITORING';
        readonly reason: string;
        readonly openedBy: string;
        readonly isByRule: boolean;
        readonly alertUuid?: string;
        readonly openedAtMs: number;
        readonly untilMs: number;
        readonly closedAtMs?: number;
        readonly closedBy?: string;
        readonly cameras: ReadonlyArray<{
          readonly cameraUuid: string;
          readonly name: string;
          readonly siteName?: string;
        }>;
        readonly extensions: ReadonlyArray<{
          readonly timestampMs: number;
          readonly by: string;
          readonly untilMs: number;
        }>;
      }>;
      readonly lastEvaluatedKey?: string;
    };
  };
  'emergency/getEmergencyLinks': {
    readonly request: {
      readonly emergencyUuid: string;
    };
    readonly answer: {
      readonly links: ReadonlyArray<{
        readonly recipientUuid: string;
        readonly sentBy: 'mail' | 'webhook' | 'copy' | 'feed';
        readonly address: string;
        readonly pageUrl: string;
        readonly cameraUrls: ReadonlyArray<{
          readonly cameraUuid: string;
          readonly liveM3U8Url: string;
        }>;
      }>;
    };
  };
  'emergency/getEmergencyPartners': {
    readonly request: object;
    readonly answer: {
      readonly partners: ReadonlyArray<{
        readonly emergencyPartnerUuid: string;
        readonly name: string;
        readonly partnerType: 'RAPIDSOS' | 'ALARM_MONITORING';
        readonly mailAddresses: ReadonlyArray<string>;
        readonly webhookUrl?: string;
        readonly language: 'en' | 'de' | 'es';
      }>;
    };
  };
  'emergency/getEmergencyReport': {
    readonly request: {
      readonly emergencyUuid: string;
    };
    readonly answer: {
      readonly emergency: {
        readonly emergencyUuid: string;
        readonly title: string;
        readonly isOpen: boolean;
        readonly emergencyPartnerUuid: string;
        readonly partnerName: string;
        readonly partnerType: 'RAPIDSOS' | 'ALARM_MONITORING';
        readonly reason: string;
        readonly openedBy: string;
        readonly isByRule: boolean;
        readonly alertUuid?: string;
        readonly openedAtMs: number;
        readonly untilMs: number;
        readonly closedAtMs?: number;
        readonly closedBy?: string;
        readonly cameras: ReadonlyArray<{
          readonly cameraUuid: string;
          readonly name: string;
          readonly siteName?: string;
        }>;
        readonly extensions: ReadonlyArray<{
          readonly timestampMs: number;
          readonly by: string;
          readonly untilMs: number;
        }>;
      };
      readonly recipients: ReadonlyArray<{
        readonly recipientUuid: string;
        readonly sentBy: 'mail' | 'webhook' | 'copy' | 'feed';
        readonly address: string;
      }>;
      readonly deliveries: ReadonlyArray<{
        readonly recipientUuid?: string;
        readonly sentBy: 'mail' | 'webhook';
        readonly address: string;
        readonly state: 'PENDING' | 'DELIVERED' | 'FAILED';
        readonly queuedAtMs: number;
        readonly attempts: number;
        readonly lastAttemptAtMs?: number;
        readonly errorCode?: string;
      }>;
      readonly views: ReadonlyArray<{
        readonly recipientUuid: string;
        readonly cameraUuid: string;
        readonly address: string;
        readonly userAgent: string;
        readonly fromMs: number;
        readonly untilMs?: number;
      }>;
      readonly timeZone: string;
    };
  };
  'emergency/getEmergencyRules': {
    readonly request: object;
    readonly answer: {
      readonly emergencyRules: ReadonlyArray<{
        readonly emergencyRuleUuid: string;
        readonly name: string;
        readonly disabled: boolean;
        readonly emergencyPartnerUuid: string;
        readonly minutes: number;
        readonly triggers: ReadonlyArray<string>;
        readonly locationUuids: ReadonlyArray<string>;
        readonly minValidationLevel?: number;
        readonly opens: 'camera' | 'site' | 'chosen';
        readonly cameraUuids: ReadonlyArray<string>;
      }>;
    };
  };
  'emergency/getOpenEmergencies': {
    readonly request: object;
    readonly answer: {
      readonly emergencies: ReadonlyArray<{
        readonly emergencyUuid: string;
        readonly title: string;
        readonly isOpen: boolean;
        readonly emergencyPartnerUuid: string;
        readonly partnerName: string;
        readonly partnerType: 'RAPIDSOS' | 'ALARM_MONITORING';
        readonly reason: string;
        readonly openedBy: string;
        readonly isByRule: boolean;
        readonly alertUuid?: string;
        readonly openedAtMs: number;
        readonly untilMs: number;
        readonly closedAtMs?: number;
        readonly closedBy?: string;
        readonly cameras: ReadonlyArray<{
          readonly cameraUuid: string;
          readonly name: string;
          readonly siteName?: string;
        }>;
        readonly extensions: ReadonlyArray<{
          readonly timestampMs: number;
          readonly by: string;
          readonly untilMs: number;
        }>;
      }>;
    };
  };
  'emergency/openEmergency': {
    readonly request: {
      readonly emergencyPartnerUuid: string;
      readonly cameraUuids: ReadonlyArray<string>;
      readonly reason: string;
      readonly minutes: number;
      readonly alertUuid?: string | undefined;
    };
    readonly answer: {
      readonly emergency: {
        readonly emergencyUuid: string;
        readonly title: string;
        readonly isOpen: boolean;
        readonly emergencyPartnerUuid: string;
        readonly partnerName: string;
        readonly partnerType: 'RAPIDSOS' | 'ALARM_MONITORING';
        readonly reason: string;
        readonly openedBy: string;
        readonly isByRule: boolean;
        readonly alertUuid?: string;
        readonly openedAtMs: number;
        readonly untilMs: number;
        readonly closedAtMs?: number;
        readonly closedBy?: string;
        readonly cameras: ReadonlyArray<{
          readonly cameraUuid: string;
          readonly name: string;
          readonly siteName?: string;
        }>;
        readonly extensions: ReadonlyArray<{
          readonly timestampMs: number;
          readonly by: string;
          readonly untilMs: number;
        }>;
      };
      readonly links: ReadonlyArray<{
        readonly recipientUuid: string;
        readonly sentBy: 'mail' | 'webhook' | 'copy' | 'feed';
        readonly address: string;
        readonly pageUrl: string;
        readonly cameraUrls: ReadonlyArray<{
          readonly cameraUuid: string;
          readonly liveM3U8Url: string;
        }>;
      }>;
    };
  };
  'emergency/setEmergencyPartner': {
    readonly request: {
      readonly emergencyPartnerUuid?: string | undefined;
      readonly name: string;
      readonly partnerType: 'RAPIDSOS' | 'ALARM_MONITORING';
      readonly mailAddresses?: ReadonlyArray<string> | undefined;
      readonly webhookUrl?: string | undefined;
      readonly language?: 'en' | 'de' | 'es' | undefined;
    };
    readonly answer: {
      readonly partner: {
        readonly emergencyPartnerUuid: string;
        readonly name: string;
        readonly partnerType: 'RAPIDSOS' | 'ALARM_MONITORING';
        readonly mailAddresses: ReadonlyArray<string>;
        readonly webhookUrl?: string;
        readonly language: 'en' | 'de' | 'es';
      };
      readonly webhookSecret?: string;
    };
  };
  'emergency/setEmergencyRule': {
    readonly request: {
      readonly emergencyRuleUuid?: string | undefined;
      readonly name: string;
      readonly disabled?: boolean | undefined;
      readonly emergencyPartnerUuid: string;
      readonly minutes: number;
      readonly triggers?: ReadonlyArray<string> | undefined;
      readonly locationUuids?: ReadonlyArray<string> | undefined;
      readonly minValidationLevel?: number | undefined;
      readonly opens?: 'camera' | 'site' | 'chosen' | undefined;
      readonly cameraUuids?: ReadonlyArray<string> | undefined;
    };
    readonly answer: {
      readonly emergencyRule: {
        readonly emergencyRuleUuid: string;
        readonly name: string;
        readonly disabled: boolean;
        readonly emergencyPartnerUuid: string;
        readonly minutes: number;
        readonly triggers: ReadonlyArray<string>;
        readonly locationUuids: ReadonlyArray<string>;
        readonly minValidationLevel?: number;
        readonly opens: 'camera' | 'site' | 'chosen';
        readonly cameraUuids: ReadonlyArray<string>;
      };
    };
  };
  'event/acknowledgePolicyAlert': {
    readonly request: {
      readonly alertUuid: string;
      readonly note?: string | undefined;
    };
    readonly answer: {
      readonly acknowledgement: {
        readonly timestampMs: number;
        readonly actorUuid: string;
        readonly actorName: string;
        readonly note: string;
      };
      readonly isYours: boolean;
    };
  };
  'event/acknowledgePolicyAlerts': {
    readonly request: {
      readonly alertUuids: ReadonlyArray<string>;
      readonly note?: string | undefined;
    };
    readonly answer: {
      readonly acknowledgedUuids: ReadonlyArray<string>;
      readonly ofOthers: ReadonlyArray<{
        readonly alertUuid: string;
        readonly acknowledgement: {
          readonly timestampMs: number;
          readonly actorUuid: string;
          readonly actorName: string;
          readonly note: string;
        };
      }>;
    };
  };
  'event/createClipDownload': {
    readonly request: {
      readonly clipUuids: ReadonlyArray<string>;
      readonly title?: string | undefined;
      readonly description?: string | undefined;
    };
    readonly answer: {
      readonly downloadUrl: string;
      readonly expirationTimeSecs: number;
    };
  };
  'event/createSharedClipGroupV3': {
    readonly request: {
      readonly uuids: ReadonlyArray<{
        readonly eventUuid?: string | undefined;
        readonly alertUuid?: string | undefined;
      }>;
      readonly title?: string | undefined;
      readonly plaintextPassword?: string | undefined;
      readonly ssoProtected?: false | undefined;
      readonly showsUnmasked?: boolean | undefined;
      readonly description?: string | undefined;
      readonly expirationTimeSecs?: number | undefined;
    };
    readonly answer: {
      readonly uuid: string;
      readonly shareUrl: string;
    };
  };
  'event/deleteSavedClip': {
    readonly request: {
      readonly savedClipUuid: string;
    };
    readonly answer: object;
  };
  'event/deleteSharedClipGroupV2': {
    readonly request: {
      readonly uuid: string;
    };
    readonly answer: object;
  };
  'event/getAlertInbox': {
    readonly request: {
      readonly newAlertUuids?: ReadonlyArray<string> | undefined;
    };
    readonly answer: {
      readonly openCount: number;
      readonly isMore: boolean;
      readonly noticeUuids: ReadonlyArray<string>;
      readonly notices: ReadonlyArray<{
        readonly alert: {
          readonly uuid: string;
          readonly orgUuid: string;
          readonly deviceUuid: string;
          readonly timestampMs: number;
          readonly acknowledgement?: {
            readonly timestampMs: number;
            readonly actorUuid: string;
            readonly actorName: string;
            readonly note: string;
          };
          readonly taking?: {
            readonly timestampMs: number;
            readonly actorUuid: string;
            readonly actorName: string;
          };
          readonly alertMonitoringVerified: boolean;
          readonly archived: boolean;
          readonly delayedProcessing: boolean;
          readonly deleted: boolean;
          readonly finalized: boolean;
          readonly notificationSent: boolean;
          readonly saved: boolean;
          readonly shared: boolean;
          readonly type?: 'POLICY_ALERT_V2' | 'ACCESS_CONTROLLED_DOOR_POLICY_ALERT';
          readonly policyUuid?: string;
          readonly locationUuid?: string;
          readonly componentUuid?: string;
          readonly subLocationsHierarchyKey?: string;
          readonly deviceType?: 'BLE_TRACKER' | 'CAMERA' | 'DOOR_SENSOR' | 'ENVIRONMENTAL_SENSOR' | 'OCCUPANCY_SENSOR' | 'AUDIO_GATEWAY' | 'EXECUTABLE' | 'BADGE_READER' | 'DOOR_CONTROLLER' | 'BLE_BUTTON' | 'IO_BOARD' | 'ENVIRONMENTAL_GATEWAY' | 'NVR' | 'ROBOT' | 'UNKNOWN';
          readonly durationSec?: number;
          readonly textDescription?: string;
          readonly alarmValidationLevel?: number;
          readonly alertMonitoringThreatCaseUuid?: string;
          readonly policyAlertTriggers?: ReadonlyArray<string>;
          readonly clipLocation?: {
            readonly region?: string;
          };
          readonly clipLocationMap?: Readonly<Record<string, {
            readonly region?: string;
          }>>;
          readonly clipLocationMapV2?: Readonly<Record<string, string>>;
          readonly thumbnailLocation?: {
            readonly region?: string;
          };
          readonly thumbnailLocationV2?: string;
          readonly egressBoundaryDevices?: ReadonlyArray<string>;
          readonly ingressBoundaryDevices?: ReadonlyArray<string>;
          readonly cd?: string;
          readonly cdn?: string;
          readonly cllmBooleanValue?: boolean;
          readonly cllmIntegerValue?: number;
          readonly cllmCheckCondition?: {
            readonly operator?: 'GT' | 'LT' | 'LTE' | 'GTE' | 'EQ' | 'CONTAINS';
            readonly value?: string;
          };
          readonly cllmPromptTypeEnum?: 'COUNT' | 'PERCENT' | 'BOOLEAN' | 'TEXT';
          readonly cllmPromptUuid?: string;
          readonly numHumans?: number;
          readonly peopleCountHighThreshold?: number;
          readonly peopleCountLowThreshold?: number;
          readonly maxLuf?: number;
          readonly leakDetected?: boolean;
          readonly tampered?: boolean;
          readonly tempProbePresent?: boolean;
          readonly vapeDetected?: boolean;
          readonly tamperByMovementChange?: number;
          readonly airQualityIndex?: number;
          readonly airQualityIndexThreshold?: number;
          readonly ch2oPpb?: number;
          readonly ch2oPpbThreshold?: number;
          readonly co2?: number;
          readonly co2Threshold?: number;
          readonly co2Ppm?: number;
          readonly co2PpmThreshold?: number;
          readonly coConcentration?: number;
          readonly coConcentrationThreshold?: number;
          readonly ethanol?: number;
          readonly ethanolThreshold?: number;
          readonly heatIndexDegF?: number;
          readonly heatIndexDegFThreshold?: number;
          readonly humidityPercent1616?: number;
          readonly humidityPercent1616Threshold?: number;
          readonly humidityPermyriad?: number;
          readonly humidityPermyriadThreshold?: number;
          readonly iaq?: number;
          readonly iaqThreshold?: number;
          readonly noxIdx?: number;
          readonly noxIdxThreshold?: number;
          readonly pm1p0?: number;
          readonly pm1p0Threshold?: number;
          readonly pm4p0?: number;
          readonly pm4p0Threshold?: number;
          readonly pm10p0?: number;
          readonly pm10p0Threshold?: number;
          readonly pm25?: number;
          readonly pm25Threshold?: number;
          readonly pressure?: number;
          readonly pressureThreshold?: number;
          readonly probeTempC?: number;
          readonly probeTempCThreshold?: number;
          readonly relHumid?: number;
          readonly relHumidThreshold?: number;
          readonly tempC?: number;
          readonly tempCThreshold?: number;
          readonly temperatureCelsius1616?: number;
          readonly temperatureCelsius1616Threshold?: number;
          readonly temperaturePermyriad?: number;
          readonly temperaturePermyriadThreshold?: number;
          readonly thcPercent?: number;
          readonly thcPercentThreshold?: number;
          readonly tvoc?: number;
          readonly tvocThreshold?: number;
          readonly vapeSmokePercent?: number;
          readonly vapeSmokePercentThreshold?: number;
          readonly vocIdx?: number;
          readonly vocIdxThreshold?: number;
          readonly humidityPercentThreshold1616?: number;
          readonly temperatureCelsiusThreshold1616?: number;
          readonly humidityThresholdPermyriad?: number;
          readonly temperatureThresholdPermyriad?: number;
          readonly probeTempThreshold?: number;
          readonly alertingDwellEvents: ReadonlyArray<{
            readonly deviceUuid?: string;
            readonly orgUuid?: string;
            readonly locationUuid?: string;
            readonly regionUuid?: string;
            readonly subLocationsHierarchyKey?: string;
            readonly deviceLabels?: ReadonlyArray<string>;
            readonly locationLabels?: ReadonlyArray<string>;
            readonly dwellStartTimeMs?: number;
            readonly durationSec?: number;
            readonly timestampMs?: number;
            readonly trackId?: number;
            readonly thumbnailLocation?: string;
            readonly thumbnailUri?: string;
          }>;
          readonly alertingEventFaces: ReadonlyArray<{
            readonly faceId?: string;
            readonly faceName?: string;
            readonly personUuid?: string;
            readonly labels?: ReadonlyArray<string>;
            readonly imageS3Bucket?: string;
            readonly imageS3Key?: string;
            readonly imageS3Region?: string;
          }>;
          readonly alertingEventVehicles: ReadonlyArray<{
            readonly licensePlateNumber?: string;
            readonly vehicleName?: string;
            readonly labels?: ReadonlyArray<string>;
            readonly imageS3Bucket?: string;
            readonly imageS3Key?: string;
            readonly imageS3Region?: string;
          }>;
        };
        readonly deviceName?: string;
        readonly isCamera: boolean;
        readonly locationName?: string;
      }>;
    };
  };
  'event/getClipWithProgress': {
    readonly request: {
      readonly clipUuid: string;
    };
    readonly answer: {
      readonly clip: {
        readonly uuid: string;
        readonly orgUuid: string;
        readonly externalTransactionId?: string;
        readonly createdAtMs: number;
        readonly timestampMs: number;
        readonly deviceUuid?: string;
        readonly deviceUuids: ReadonlyArray<string>;
        readonly analyzed: boolean;
        readonly consoleDelete: boolean;
        readonly isMonitoringClip: boolean;
        readonly isVendorClip: boolean;
        readonly sendToSharedStorage: boolean;
        readonly cameraSignatures?: ReadonlyArray<{
          readonly cameraUuid: string;
          readonly signed: number;
          readonly incomplete: number;
          readonly changed: number;
          readonly unverifiable: number;
          readonly subject?: string;
          readonly issuer?: string;
          readonly fingerprint?: string;
          readonly manufacturer?: string;
          readonly serialNumber?: string;
        }>;
        readonly accessSettings?: {
          readonly visibility?: 'PRIVATE' | 'ROLE_RESTRICTED' | 'ORG_WIDE';
          readonly allowedRoles?: ReadonlyArray<string>;
          readonly allowedUsers?: ReadonlyArray<string>;
        };
        readonly alterMap?: Readonly<Record<string, ReadonlyArray<{
          readonly crop?: {
            readonly x?: number;
            readonly y?: number;
            readonly width?: number;
            readonly height?: number;
          };
          readonly dewarp?: {
            readonly aspectRatio?: {
              readonly height?: number;
              readonly width?: number;
            };
            readonly pitchDegrees?: number;
            readonly rollDegrees?: number;
            readonly yawDegrees?: number;
            readonly verticalFieldOfViewDegrees?: number;
          };
        }>>>;
        readonly byteCount?: number;
        readonly clipLocation?: {
          readonly region?: string;
        };
        readonly clipLocationV2?: string;
        readonly description?: string;
        readonly devicePresentationOrder?: ReadonlyArray<string>;
        readonly deviceUuidMap?: Readonly<Record<string, {
          readonly region?: string;
        }>>;
        readonly durationSec?: number;
        readonly fisheyeHardware?: string;
        readonly fisheyeMap?: Readonly<Record<string, ReadonlyArray<{
          readonly aspectRatio?: {
            readonly height?: number;
            readonly width?: number;
          };
          readonly pitchDegrees?: number;
          readonly rollDegrees?: number;
          readonly yawDegrees?: number;
          readonly verticalFieldOfViewDegrees?: number;
        }>>>;
        readonly integrationUploadList?: ReadonlyArray<string>;
        readonly mountingDirection?: 'DOWN' | 'UP' | 'SIDEWAYS' | 'UNKNOWN';
        readonly sha256Hex?: string;
        readonly sourceAlertUuid?: string;
        readonly status: 'INITIATING' | 'UPLOADING' | 'RENDERING' | 'FAILED' | 'COMPLETE' | 'OFFLINE' | 'DELETED' | 'UNKNOWN';
        readonly thumbnailLocation?: {
          readonly region?: string;
        };
        readonly thumbnailLocationV2?: string;
        readonly title?: string;
        readonly userUuid?: string;
        readonly videoResolution?: {
          readonly height?: number;
          readonly width?: number;
        };
        readonly percentComplete?: number;
        readonly currentOperation?: string;
        readonly lastUpdatedSec: number;
      };
    };
  };
  'event/getPolicyAlert': {
    readonly request: {
      readonly policyAlertUuid: string;
    };
    readonly answer: {
      readonly policyAlert: {
        readonly uuid: string;
        readonly orgUuid: string;
        readonly deviceUuid: string;
        readonly timestampMs: number;
        readonly acknowledgement?: {
          readonly timestampMs: number;
          readonly actorUuid: string;
          readonly actorName: string;
          readonly note: string;
        };
        readonly taking?: {
          readonly timestampMs: number;
          readonly actorUuid: string;
          readonly actorName: string;
        };
        readonly alertMonitoringVerified: boolean;
        readonly archived: boolean;
        readonly delayedProcessing: boolean;
        readonly deleted: boolean;
        readonly finalized: boolean;
        readonly notificationSent: boolean;
        readonly saved: boolean;
        readonly shared: boolean;
        readonly type?: 'POLICY_ALERT_V2' | 'ACCESS_CONTROLLED_DOOR_POLICY_ALERT';
        readonly policyUuid?: string;
        readonly locationUuid?: string;
        readonly componentUuid?: string;
        readonly subLocationsHierarchyKey?: string;
        readonly deviceType?: 'BLE_TRACKER' | 'CAMERA' | 'DOOR_SENSOR' | 'ENVIRONMENTAL_SENSOR' | 'OCCUPANCY_SENSOR' | 'AUDIO_GATEWAY' | 'EXECUTABLE' | 'BADGE_READER' | 'DOOR_CONTROLLER' | 'BLE_BUTTON' | 'IO_BOARD' | 'ENVIRONMENTAL_GATEWAY' | 'NVR' | 'ROBOT' | 'UNKNOWN';
        readonly durationSec?: number;
        readonly textDescription?: string;
        readonly alarmValidationLevel?: number;
        readonly alertMonitoringThreatCaseUuid?: string;
        readonly policyAlertTriggers?: ReadonlyArray<string>;
        readonly clipLocation?: {
          readonly region?: string;
        };
        readonly clipLocationMap?: Readonly<Record<string, {
          readonly region?: string;
        }>>;
        readonly clipLocationMapV2?: Readonly<Record<string, string>>;
        readonly thumbnailLocation?: {
          readonly region?: string;
        };
        readonly thumbnailLocationV2?: string;
        readonly egressBoundaryDevices?: ReadonlyArray<string>;
        readonly ingressBoundaryDevices?: ReadonlyArray<string>;
        readonly cd?: string;
        readonly cdn?: string;
        readonly cllmBooleanValue?: boolean;
        readonly cllmIntegerValue?: number;
        readonly cllmCheckCondition?: {
          readonly operator?: 'GT' | 'LT' | 'LTE' | 'GTE' | 'EQ' | 'CONTAINS';
          readonly value?: string;
        };
        readonly cllmPromptTypeEnum?: 'COUNT' | 'PERCENT' | 'BOOLEAN' | 'TEXT';
        readonly cllmPromptUuid?: string;
        readonly numHumans?: number;
        readonly peopleCountHighThreshold?: number;
        readonly peopleCountLowThreshold?: number;
        readonly maxLuf?: number;
        readonly leakDetected?: boolean;
        readonly tampered?: boolean;
        readonly tempProbePresent?: boolean;
        readonly vapeDetected?: boolean;
        readonly tamperByMovementChange?: number;
        readonly airQualityIndex?: number;
        readonly airQualityIndexThreshold?: number;
        readonly ch2oPpb?: number;
        readonly ch2oPpbThreshold?: number;
        readonly co2?: number;
        readonly co2Threshold?: number;
        readonly co2Ppm?: number;
        readonly co2PpmThreshold?: number;
        readonly coConcentration?: number;
        readonly coConcentrationThreshold?: number;
        readonly ethanol?: number;
        readonly ethanolThreshold?: number;
        readonly heatIndexDegF?: number;
        readonly heatIndexDegFThreshold?: number;
        readonly humidityPercent1616?: number;
        readonly humidityPercent1616Threshold?: number;
        readonly humidityPermyriad?: number;
        readonly humidityPermyriadThreshold?: number;
        readonly iaq?: number;
        readonly iaqThreshold?: number;
        readonly noxIdx?: number;
        readonly noxIdxThreshold?: number;
        readonly pm1p0?: number;
        readonly pm1p0Threshold?: number;
        readonly pm4p0?: number;
        readonly pm4p0Threshold?: number;
        readonly pm10p0?: number;
        readonly pm10p0Threshold?: number;
        readonly pm25?: number;
        readonly pm25Threshold?: number;
        readonly pressure?: number;
        readonly pressureThreshold?: number;
        readonly probeTempC?: number;
        readonly probeTempCThreshold?: number;
        readonly relHumid?: number;
        readonly relHumidThreshold?: number;
        readonly tempC?: number;
        readonly tempCThreshold?: number;
        readonly temperatureCelsius1616?: number;
        readonly temperatureCelsius1616Threshold?: number;
        readonly temperaturePermyriad?: number;
        readonly temperaturePermyriadThreshold?: number;
        readonly thcPercent?: number;
        readonly thcPercentThreshold?: number;
        readonly tvoc?: number;
        readonly tvocThreshold?: number;
        readonly vapeSmokePercent?: number;
        readonly vapeSmokePercentThreshold?: number;
        readonly vocIdx?: number;
        readonly vocIdxThreshold?: number;
        readonly humidityPercentThreshold1616?: number;
        readonly temperatureCelsiusThreshold1616?: number;
        readonly humidityThresholdPermyriad?: number;
        readonly temperatureThresholdPermyriad?: number;
        readonly probeTempThreshold?: number;
        readonly alertingDwellEvents: ReadonlyArray<{
          readonly deviceUuid?: string;
          readonly orgUuid?: string;
          readonly locationUuid?: string;
          readonly regionUuid?: string;
          readonly subLocationsHierarchyKey?: string;
          readonly deviceLabels?: ReadonlyArray<string>;
          readonly locationLabels?: ReadonlyArray<string>;
          readonly dwellStartTimeMs?: number;
          readonly durationSec?: number;
          readonly timestampMs?: number;
          readonly trackId?: number;
          readonly thumbnailLocation?: string;
          readonly thumbnailUri?: string;
        }>;
        readonly alertingEventFaces: ReadonlyArray<{
          readonly faceId?: string;
          readonly faceName?: string;
          readonly personUuid?: string;
          readonly labels?: ReadonlyArray<string>;
          readonly imageS3Bucket?: string;
          readonly imageS3Key?: string;
          readonly imageS3Region?: string;
        }>;
        readonly alertingEventVehicles: ReadonlyArray<{
          readonly licensePlateNumber?: string;
          readonly vehicleName?: string;
          readonly labels?: ReadonlyArray<string>;
          readonly imageS3Bucket?: string;
          readonly imageS3Key?: string;
          readonly imageS3Region?: string;
        }>;
      };
    };
  };
  'event/getPolicyAlerts': {
    readonly request: {
      readonly afterTimestampMs?: number | undefined;
      readonly beforeTimestampMs?: number | undefined;
      readonly deviceFilter?: ReadonlyArray<string> | undefined;
      readonly locationFilter?: ReadonlyArray<string> | undefined;
      readonly onlyUnacknowledged?: boolean | undefined;
      readonly lastTimestampMs?: number | undefined;
      readonly lastUuid?: string | undefined;
      readonly maxResults?: number | undefined;
      readonly accessControlledDoorFilter?: ReadonlyArray<string> | undefined;
    };
    readonly answer: {
      readonly policyAlerts: ReadonlyArray<{
        readonly uuid: string;
        readonly orgUuid: string;
        readonly deviceUuid: string;
        readonly timestampMs: number;
        readonly acknowledgement?: {
          readonly timestampMs: number;
          readonly actorUuid: string;
          readonly actorName: string;
          readonly note: string;
        };
        readonly taking?: {
          readonly timestampMs: number;
          readonly actorUuid: string;
          readonly actorName: string;
        };
        readonly alertMonitoringVerified: boolean;
        readonly archived: boolean;
        readonly delayedProcessing: boolean;
        readonly deleted: boolean;
        readonly finalized: boolean;
        readonly notificationSent: boolean;
        readonly saved: boolean;
        readonly shared: boolean;
        readonly type?: 'POLICY_ALERT_V2' | 'ACCESS_CONTROLLED_DOOR_POLICY_ALERT';
        readonly policyUuid?: string;
        readonly locationUuid?: string;
        readonly componentUuid?: string;
        readonly subLocationsHierarchyKey?: string;
        readonly deviceType?: 'BLE_TRACKER' | 'CAMERA' | 'DOOR_SENSOR' | 'ENVIRONMENTAL_SENSOR' | 'OCCUPANCY_SENSOR' | 'AUDIO_GATEWAY' | 'EXECUTABLE' | 'BADGE_READER' | 'DOOR_CONTROLLER' | 'BLE_BUTTON' | 'IO_BOARD' | 'ENVIRONMENTAL_GATEWAY' | 'NVR' | 'ROBOT' | 'UNKNOWN';
        readonly durationSec?: number;
        readonly textDescription?: string;
        readonly alarmValidationLevel?: number;
        readonly alertMonitoringThreatCaseUuid?: string;
        readonly policyAlertTriggers?: ReadonlyArray<string>;
        readonly clipLocation?: {
          readonly region?: string;
        };
        readonly clipLocationMap?: Readonly<Record<string, {
          readonly region?: string;
        }>>;
        readonly clipLocationMapV2?: Readonly<Record<string, string>>;
        readonly thumbnailLocation?: {
          readonly region?: string;
        };
        readonly thumbnailLocationV2?: string;
        readonly egressBoundaryDevices?: ReadonlyArray<string>;
        readonly ingressBoundaryDevices?: ReadonlyArray<string>;
        readonly cd?: string;
        readonly cdn?: string;
        readonly cllmBooleanValue?: boolean;
        readonly cllmIntegerValue?: number;
        readonly cllmCheckCondition?: {
          readonly operator?: 'GT' | 'LT' | 'LTE' | 'GTE' | 'EQ' | 'CONTAINS';
          readonly value?: string;
        };
        readonly cllmPromptTypeEnum?: 'COUNT' | 'PERCENT' | 'BOOLEAN' | 'TEXT';
        readonly cllmPromptUuid?: string;
        readonly numHumans?: number;
        readonly peopleCountHighThreshold?: number;
        readonly peopleCountLowThreshold?: number;
        readonly maxLuf?: number;
        readonly leakDetected?: boolean;
        readonly tampered?: boolean;
        readonly tempProbePresent?: boolean;
        readonly vapeDetected?: boolean;
        readonly tamperByMovementChange?: number;
        readonly airQualityIndex?: number;
        readonly airQualityIndexThreshold?: number;
        readonly ch2oPpb?: number;
        readonly ch2oPpbThreshold?: number;
        readonly co2?: number;
        readonly co2Threshold?: number;
        readonly co2Ppm?: number;
        readonly co2PpmThreshold?: number;
        readonly coConcentration?: number;
        readonly coConcentrationThreshold?: number;
        readonly ethanol?: number;
        readonly ethanolThreshold?: number;
        readonly heatIndexDegF?: number;
        readonly heatIndexDegFThreshold?: number;
        readonly humidityPercent1616?: number;
        readonly humidityPercent1616Threshold?: number;
        readonly humidityPermyriad?: number;
        readonly humidityPermyriadThreshold?: number;
        readonly iaq?: number;
        readonly iaqThreshold?: number;
        readonly noxIdx?: number;
        readonly noxIdxThreshold?: number;
        readonly pm1p0?: number;
        readonly pm1p0Threshold?: number;
        readonly pm4p0?: number;
        readonly pm4p0Threshold?: number;
        readonly pm10p0?: number;
        readonly pm10p0Threshold?: number;
        readonly pm25?: number;
        readonly pm25Threshold?: number;
        readonly pressure?: number;
        readonly pressureThreshold?: number;
        readonly probeTempC?: number;
        readonly probeTempCThreshold?: number;
        readonly relHumid?: number;
        readonly relHumidThreshold?: number;
        readonly tempC?: number;
        readonly tempCThreshold?: number;
        readonly temperatureCelsius1616?: number;
        readonly temperatureCelsius1616Threshold?: number;
        readonly temperaturePermyriad?: number;
        readonly temperaturePermyriadThreshold?: number;
        readonly thcPercent?: number;
        readonly thcPercentThreshold?: number;
        readonly tvoc?: number;
        readonly tvocThreshold?: number;
        readonly vapeSmokePercent?: number;
        readonly vapeSmokePercentThreshold?: number;
        readonly vocIdx?: number;
        readonly vocIdxThreshold?: number;
        readonly humidityPercentThreshold1616?: number;
        readonly temperatureCelsiusThreshold1616?: number;
        readonly humidityThresholdPermyriad?: number;
        readonly temperatureThresholdPermyriad?: number;
        readonly probeTempThreshold?: number;
        readonly alertingDwellEvents: ReadonlyArray<{
          readonly deviceUuid?: string;
          readonly orgUuid?: string;
          readonly locationUuid?: string;
          readonly regionUuid?: string;
          readonly subLocationsHierarchyKey?: string;
          readonly deviceLabels?: ReadonlyArray<string>;
          readonly locationLabels?: ReadonlyArray<string>;
          readonly dwellStartTimeMs?: number;
          readonly durationSec?: number;
          readonly timestampMs?: number;
          readonly trackId?: number;
          readonly thumbnailLocation?: string;
          readonly thumbnailUri?: string;
        }>;
        readonly alertingEventFaces: ReadonlyArray<{
          readonly faceId?: string;
          readonly faceName?: string;
          readonly personUuid?: string;
          readonly labels?: ReadonlyArray<string>;
          readonly imageS3Bucket?: string;
          readonly imageS3Key?: string;
          readonly imageS3Region?: string;
        }>;
        readonly alertingEventVehicles: ReadonlyArray<{
          readonly licensePlateNumber?: string;
          readonly vehicleName?: string;
          readonly labels?: ReadonlyArray<string>;
          readonly imageS3Bucket?: string;
          readonly imageS3Key?: string;
          readonly imageS3Region?: string;
        }>;
      }>;
    };
  };
  'event/getSavedClipDetails': {
    readonly request: {
      readonly clipUuid: string;
    };
    readonly answer: {
      readonly savedClip: {
        readonly uuid: string;
        readonly orgUuid: string;
        readonly externalTransactionId?: string;
        readonly createdAtMs: number;
        readonly timestampMs: number;
        readonly deviceUuid?: string;
        readonly deviceUuids: ReadonlyArray<string>;
        readonly analyzed: boolean;
        readonly consoleDelete: boolean;
        readonly isMonitoringClip: boolean;
        readonly isVendorClip: boolean;
        readonly sendToSharedStorage: boolean;
        readonly cameraSignatures?: ReadonlyArray<{
          readonly cameraUuid: string;
          readonly signed: number;
          readonly incomplete: number;
          readonly changed: number;
          readonly unverifiable: number;
          readonly subject?: string;
          readonly issuer?: string;
          readonly fingerprint?: string;
          readonly manufacturer?: string;
          readonly serialNumber?: string;
        }>;
        readonly accessSettings?: {
          readonly visibility?: 'PRIVATE' | 'ROLE_RESTRICTED' | 'ORG_WIDE';
          readonly allowedRoles?: ReadonlyArray<string>;
          readonly allowedUsers?: ReadonlyArray<string>;
        };
        readonly alterMap?: Readonly<Record<string, ReadonlyArray<{
          readonly crop?: {
            readonly x?: number;
            readonly y?: number;
            readonly width?: number;
            readonly height?: number;
          };
          readonly dewarp?: {
            readonly aspectRatio?: {
              readonly height?: number;
              readonly width?: number;
            };
            readonly pitchDegrees?: number;
            readonly rollDegrees?: number;
            readonly yawDegrees?: number;
            readonly verticalFieldOfViewDegrees?: number;
          };
        }>>>;
        readonly byteCount?: number;
        readonly clipLocation?: {
          readonly region?: string;
        };
        readonly clipLocationV2?: string;
        readonly description?: string;
        readonly devicePresentationOrder?: ReadonlyArray<string>;
        readonly deviceUuidMap?: Readonly<Record<string, {
          readonly region?: string;
        }>>;
        readonly durationSec?: number;
        readonly fisheyeHardware?: string;
        readonly fisheyeMap?: Readonly<Record<string, ReadonlyArray<{
          readonly aspectRatio?: {
            readonly height?: number;
            readonly width?: number;
          };
          readonly pitchDegrees?: number;
          readonly rollDegrees?: number;
          readonly yawDegrees?: number;
          readonly verticalFieldOfViewDegrees?: number;
        }>>>;
        readonly integrationUploadList?: ReadonlyArray<string>;
        readonly mountingDirection?: 'DOWN' | 'UP' | 'SIDEWAYS' | 'UNKNOWN';
        readonly sha256Hex?: string;
        readonly sourceAlertUuid?: string;
        readonly status?: 'INITIATING' | 'UPLOADING' | 'RENDERING' | 'FAILED' | 'COMPLETE' | 'OFFLINE' | 'DELETED' | 'UNKNOWN';
        readonly thumbnailLocation?: {
          readonly region?: string;
        };
        readonly thumbnailLocationV2?: string;
        readonly title?: string;
        readonly userUuid?: string;
        readonly videoResolution?: {
          readonly height?: number;
          readonly width?: number;
        };
        readonly boundingBoxes: ReadonlyArray<{
          readonly activity?: string;
          readonly alert?: boolean;
          readonly customActivityColor?: 'BLUE' | 'RED' | 'PURPLE' | 'TAN' | 'ORANGE' | 'TEAL' | 'GRAY' | 'BLACK';
          readonly customActivityDescription?: string;
          readonly customActivityDisplayName?: string;
          readonly faceName?: string;
          readonly unidentifiedFaceId?: string;
          readonly inMotion?: boolean;
          readonly licensePlate?: string;
          readonly vehicleName?: string;
          readonly loudness?: number;
          readonly pose?: string;
          readonly relativeSecond?: number;
          readonly sensorValType?: {
            readonly sensorBoolean?: boolean;
            readonly sensorDouble?: number;
            readonly sensorLong?: number;
          };
          readonly posOrderIdInfo?: {
            readonly guid?: string;
            readonly employeeName?: string;
            readonly locationName?: string;
            readonly restaurantName?: string;
            readonly posCheckInfo?: {
              readonly totalAmount?: number;
            };
          };
          readonly left?: number;
          readonly top?: number;
          readonly right?: number;
          readonly bottom?: number;
          readonly confidence?: number;
          readonly croppedImageLocator?: string;
          readonly keypointsV2?: Readonly<Record<string, {
            readonly x?: number;
            readonly y?: number;
          }>>;
          readonly objectId?: number;
        }>;
        readonly seekPoints: ReadonlyArray<{
          readonly activity?: string;
          readonly alert?: boolean;
          readonly customActivityColor?: 'BLUE' | 'RED' | 'PURPLE' | 'TAN' | 'ORANGE' | 'TEAL' | 'GRAY' | 'BLACK';
          readonly customActivityDescription?: string;
          readonly customActivityDisplayName?: string;
          readonly faceName?: string;
          readonly unidentifiedFaceId?: string;
          readonly inMotion?: boolean;
          readonly licensePlate?: string;
          readonly vehicleName?: string;
          readonly loudness?: number;
          readonly pose?: string;
          readonly relativeSecond?: number;
          readonly sensorValType?: {
            readonly sensorBoolean?: boolean;
            readonly sensorDouble?: number;
            readonly sensorLong?: number;
          };
          readonly posOrderIdInfo?: {
            readonly guid?: string;
            readonly employeeName?: string;
            readonly locationName?: string;
            readonly restaurantName?: string;
            readonly posCheckInfo?: {
              readonly totalAmount?: number;
            };
          };
          readonly id?: number;
          readonly dcao?: boolean;
          readonly tu?: string;
        }>;
      };
    };
  };
  'event/getSavedClipsV2': {
    readonly request: {
      readonly maxPageSize?: number | undefined;
      readonly pageTimestampMs?: number | undefined;
    };
    readonly answer: {
      readonly savedClips: ReadonlyArray<{
        readonly uuid: string;
        readonly orgUuid: string;
        readonly externalTransactionId?: string;
        readonly createdAtMs: number;
        readonly timestampMs: number;
        readonly deviceUuid?: string;
        readonly deviceUuids: ReadonlyArray<string>;
        readonly analyzed: boolean;
        readonly consoleDelete: boolean;
        readonly isMonitoringClip: boolean;
        readonly isVendorClip: boolean;
        readonly sendToSharedStorage: boolean;
        readonly cameraSignatures?: ReadonlyArray<{
          readonly cameraUuid: string;
          readonly signed: number;
          readonly incomplete: number;
          readonly changed: number;
          readonly unverifiable: number;
          readonly subject?: string;
          readonly issuer?: string;
          readonly fingerprint?: string;
          readonly manufacturer?: string;
          readonly serialNumber?: string;
        }>;
        readonly accessSettings?: {
          readonly visibility?: 'PRIVATE' | 'ROLE_RESTRICTED' | 'ORG_WIDE';
          readonly allowedRoles?: ReadonlyArray<string>;
          readonly allowedUsers?: ReadonlyArray<string>;
        };
        readonly alterMap?: Readonly<Record<string, ReadonlyArray<{
          readonly crop?: {
            readonly x?: number;
            readonly y?: number;
            readonly width?: number;
            readonly height?: number;
          };
          readonly dewarp?: {
            readonly aspectRatio?: {
              readonly height?: number;
              readonly width?: number;
            };
            readonly pitchDegrees?: number;
            readonly rollDegrees?: number;
            readonly yawDegrees?: number;
            readonly verticalFieldOfViewDegrees?: number;
          };
        }>>>;
        readonly byteCount?: number;
        readonly clipLocation?: {
          readonly region?: string;
        };
        readonly clipLocationV2?: string;
        readonly description?: string;
        readonly devicePresentationOrder?: ReadonlyArray<string>;
        readonly deviceUuidMap?: Readonly<Record<string, {
          readonly region?: string;
        }>>;
        readonly durationSec?: number;
        readonly fisheyeHardware?: string;
        readonly fisheyeMap?: Readonly<Record<string, ReadonlyArray<{
          readonly aspectRatio?: {
            readonly height?: number;
            readonly width?: number;
          };
          readonly pitchDegrees?: number;
          readonly rollDegrees?: number;
          readonly yawDegrees?: number;
          readonly verticalFieldOfViewDegrees?: number;
        }>>>;
        readonly integrationUploadList?: ReadonlyArray<string>;
        readonly mountingDirection?: 'DOWN' | 'UP' | 'SIDEWAYS' | 'UNKNOWN';
        readonly sha256Hex?: string;
        readonly sourceAlertUuid?: string;
        readonly status?: 'INITIATING' | 'UPLOADING' | 'RENDERING' | 'FAILED' | 'COMPLETE' | 'OFFLINE' | 'DELETED' | 'UNKNOWN';
        readonly thumbnailLocation?: {
          readonly region?: string;
        };
        readonly thumbnailLocationV2?: string;
        readonly title?: string;
        readonly userUuid?: string;
        readonly videoResolution?: {
          readonly height?: number;
          readonly width?: number;
        };
      }>;
      readonly lastEvaluatedTimestampMs?: number;
    };
  };
  'event/getTimelineEvents': {
    readonly request: {
      readonly cameraUuids: ReadonlyArray<string>;
      readonly fromMs: number;
      readonly toMs: number;
      readonly kinds?: ReadonlyArray<'ALERT' | 'MOTION' | 'CAMERA' | 'DOOR' | 'CLIP' | 'BOOKMARK'> | undefined;
      readonly maxPageSize?: number | undefined;
      readonly lastEvaluatedKey?: string | undefined;
    };
    readonly answer: {
      readonly events: ReadonlyArray<{
        readonly kind: 'ALERT' | 'MOTION' | 'CAMERA' | 'DOOR' | 'CLIP' | 'BOOKMARK';
        readonly id: string;
        readonly timestampMs: number;
        readonly durationSec?: number;
        readonly deviceUuid: string;
        readonly deviceName?: string;
        readonly cameraUuid: string;
        readonly title: string;
        readonly what: ReadonlyArray<string>;
        readonly acknowledged: boolean;
        readonly status?: string;
        readonly color?: string;
      }>;
      readonly lastEvaluatedKey?: string;
    };
  };
  'event/getUnhealthyDeviceAlerts': {
    readonly request: object;
    readonly answer: {
      readonly unhealthyDeviceAlerts: ReadonlyArray<{
        readonly uuid: string;
        readonly deviceUuid: string;
        readonly orgUuid: string;
        readonly timestamp: number;
        readonly symptom: 'POLICY_NOT_ASSIGNED' | 'DOWN' | 'SLOW_INTERNET';
      }>;
    };
  };
  'event/releasePolicyAlert': {
    readonly request: {
      readonly alertUuid: string;
    };
    readonly answer: {
      readonly taking?: {
        readonly timestampMs: number;
        readonly actorUuid: string;
        readonly actorName: string;
      };
    };
  };
  'event/reopenPolicyAlerts': {
    readonly request: {
      readonly alertUuids: ReadonlyArray<string>;
    };
    readonly answer: {
      readonly reopenedUuids: ReadonlyArray<string>;
      readonly ofOthers: ReadonlyArray<{
        readonly alertUuid: string;
        readonly acknowledgement: {
          readonly timestampMs: number;
          readonly actorUuid: string;
          readonly actorName: string;
          readonly note: string;
        };
      }>;
    };
  };
  'event/savePolicyAlertV2': {
    readonly request: {
      readonly alertUuid: string;
      readonly savedClipTitle?: string | undefined;
      readonly savedClipDescription?: string | undefined;
      readonly fisheyePresentationMap?: Readonly<Record<string, ReadonlyArray<{
        readonly aspectRatio?: {
          readonly height?: number | undefined;
          readonly width?: number | undefined;
        } | undefined;
        readonly pitchDegrees?: number | undefined;
        readonly rollDegrees?: number | undefined;
        readonly yawDegrees?: number | undefined;
        readonly verticalFieldOfViewDegrees?: number | undefined;
      }>>> | undefined;
    };
    readonly answer: object;
  };
  'event/takePolicyAlert': {
    readonly request: {
      readonly alertUuid: string;
    };
    readonly answer: {
      readonly taking: {
        readonly timestampMs: number;
        readonly actorUuid: string;
        readonly actorName: string;
      };
      readonly isYours: boolean;
    };
  };
  'event/updateSharedClipGroupV2': {
    readonly request: {
      readonly sharedClipUuid: string;
      readonly title?: string | undefined;
      readonly plaintextPassword?: string | undefined;
      readonly ssoProtected?: false | undefined;
      readonly description?: string | undefined;
      readonly expirationTimeSecs?: number | undefined;
    };
    readonly answer: {
      readonly uuid: string;
      readonly shareUrl: string;
    };
  };
  'evidence/addToCase': {
    readonly request: {
      readonly caseUuid: string;
      readonly cameraUuid?: string | undefined;
      readonly fromMs?: number | undefined;
      readonly toMs?: number | undefined;
      readonly clipUuid?: string | undefined;
      readonly note?: string | undefined;
    };
    readonly answer: {
      readonly item: {
        readonly uuid: string;
        readonly cameraUuid?: string;
        readonly fromMs?: number;
        readonly toMs?: number;
        readonly clipUuid?: string;
        readonly cameraUuids: ReadonlyArray<string>;
        readonly note: string;
        readonly addedBy: string;
        readonly addedAtMs: number;
      };
    };
  };
  'evidence/createCase': {
    readonly request: {
      readonly title: string;
      readonly number?: string | undefined;
      readonly notes?: string | undefined;
    };
    readonly answer: {
      readonly case: {
        readonly uuid: string;
        readonly title: string;
        readonly number: string;
        readonly notes: string;
        readonly createdBy: string;
        readonly createdAtMs: number;
        readonly state: 'open' | 'sealing' | 'sealed' | 'failed';
        readonly failureCode?: string;
        readonly sealedBy?: string;
        readonly sealedAtMs?: number;
        readonly fingerprint?: string;
        readonly items: ReadonlyArray<{
          readonly uuid: string;
          readonly cameraUuid?: string;
          readonly fromMs?: number;
          readonly toMs?: number;
          readonly clipUuid?: string;
          readonly cameraUuids: ReadonlyArray<string>;
          readonly note: string;
          readonly addedBy: string;
          readonly addedAtMs: number;
        }>;
        readonly hiddenItems: number;
      };
    };
  };
  'evidence/createCaseDownload': {
    readonly request: {
      readonly caseUuid: string;
    };
    readonly answer: {
      readonly downloadUrl: string;
      readonly expirationTimeSecs: number;
    };
  };
  'evidence/createCaseLink': {
    readonly request: {
      readonly caseUuid: string;
      readonly plaintextPassword?: string | undefined;
      readonly expirationTimeSecs?: number | undefined;
      readonly showsUnmasked?: boolean | undefined;
    };
    readonly answer: {
      readonly sharedClipGroupUuid: string;
      readonly shareUrl: string;
      readonly downloadUrl: string;
    };
  };
  'evidence/createHold': {
    readonly request: {
      readonly cameraUuid?: string | undefined;
      readonly fromMs?: number | undefined;
      readonly toMs?: number | undefined;
      readonly clipUuid?: string | undefined;
      readonly reason: string;
      readonly untilMs?: number | undefined;
    };
    readonly answer: {
      readonly hold: {
        readonly uuid: string;
        readonly cameraUuid?: string;
        readonly fromMs?: number;
        readonly toMs?: number;
        readonly clipUuid?: string;
        readonly reason: string;
        readonly heldBy: string;
        readonly heldAtMs: number;
        readonly untilMs?: number;
        readonly caseUuid?: string;
      };
    };
  };
  'evidence/deleteCase': {
    readonly request: {
      readonly caseUuid: string;
    };
    readonly answer: object;
  };
  'evidence/findCaseLinks': {
    readonly request: {
      readonly caseUuid: string;
    };
    readonly answer: {
      readonly links: ReadonlyArray<{
        readonly sharedClipGroupUuid: string;
        readonly shareUrl: string;
        readonly createdAtMs: number;
        readonly expirationTimeSecs?: number;
        readonly isSecured: boolean;
      }>;
    };
  };
  'evidence/findCases': {
    readonly request: object;
    readonly answer: {
      readonly cases: ReadonlyArray<{
        readonly uuid: string;
        readonly title: string;
        readonly number: string;
        readonly notes: string;
        readonly createdBy: string;
        readonly createdAtMs: number;
        readonly state: 'open' | 'sealing' | 'sealed' | 'failed';
        readonly failureCode?: string;
        readonly sealedBy?: string;
        readonly sealedAtMs?: number;
        readonly fingerprint?: string;
        readonly items: ReadonlyArray<{
          readonly uuid: string;
          readonly cameraUuid?: string;
          readonly fromMs?: number;
          readonly toMs?: number;
          readonly clipUuid?: string;
          readonly cameraUuids: ReadonlyArray<string>;
          readonly note: string;
          readonly addedBy: string;
          readonly addedAtMs: number;
        }>;
        readonly hiddenItems: number;
      }>;
    };
  };
  'evidence/findHolds': {
    readonly request: {
      readonly cameraUuid?: string | undefined;
    };
    readonly answer: {
      readonly holds: ReadonlyArray<{
        readonly uuid: string;
        readonly cameraUuid?: string;
        readonly fromMs?: number;
        readonly toMs?: number;
        readonly clipUuid?: string;
        readonly reason: string;
        readonly heldBy: string;
        readonly heldAtMs: number;
        readonly untilMs?: number;
        readonly caseUuid?: string;
      }>;
      readonly heldBytes: number;
      readonly allowedBytes?: number;
    };
  };
  'evidence/getCase': {
    readonly request: {
      readonly caseUuid: string;
    };
    readonly answer: {
      readonly case: {
        readonly uuid: string;
        readonly title: string;
        readonly number: string;
        readonly notes: string;
        readonly createdBy: string;
        readonly createdAtMs: number;
        readonly state: 'open' | 'sealing' | 'sealed' | 'failed';
        readonly failureCode?: string;
        readonly sealedBy?: string;
        readonly sealedAtMs?: number;
        readonly fingerprint?: string;
        readonly items: ReadonlyArray<{
          readonly uuid: string;
          readonly cameraUuid?: string;
          readonly fromMs?: number;
          readonly toMs?: number;
          readonly clipUuid?: string;
          readonly cameraUuids: ReadonlyArray<string>;
          readonly note: string;
          readonly addedBy: string;
          readonly addedAtMs: number;
        }>;
        readonly hiddenItems: number;
      };
    };
  };
  'evidence/releaseHold': {
    readonly request: {
      readonly holdUuid: string;
    };
    readonly answer: object;
  };
  'evidence/removeFromCase': {
    readonly request: {
      readonly caseUuid: string;
      readonly itemUuid: string;
    };
    readonly answer: object;
  };
  'evidence/reopenCase': {
    readonly request: {
      readonly caseUuid: string;
    };
    readonly answer: {
      readonly case: {
        readonly uuid: string;
        readonly title: string;
        readonly number: string;
        readonly notes: string;
        readonly createdBy: string;
        readonly createdAtMs: number;
        readonly state: 'open' | 'sealing' | 'sealed' | 'failed';
        readonly failureCode?: string;
        readonly sealedBy?: string;
        readonly sealedAtMs?: number;
        readonly fingerprint?: string;
        readonly items: ReadonlyArray<{
          readonly uuid: string;
          readonly cameraUuid?: string;
          readonly fromMs?: number;
          readonly toMs?: number;
          readonly clipUuid?: string;
          readonly cameraUuids: ReadonlyArray<string>;
          readonly note: string;
          readonly addedBy: string;
          readonly addedAtMs: number;
        }>;
        readonly hiddenItems: number;
      };
    };
  };
  'evidence/sealCase': {
    readonly request: {
      readonly caseUuid: string;
    };
    readonly answer: {
      readonly case: {
        readonly uuid: string;
        readonly title: string;
        readonly number: string;
        readonly notes: string;
        readonly createdBy: string;
        readonly createdAtMs: number;
        readonly state: 'open' | 'sealing' | 'sealed' | 'failed';
        readonly failureCode?: string;
        readonly sealedBy?: string;
        readonly sealedAtMs?: number;
        readonly fingerprint?: string;
        readonly items: ReadonlyArray<{
          readonly uuid: string;
          readonly cameraUuid?: string;
          readonly fromMs?: number;
          readonly toMs?: number;
          readonly clipUuid?: string;
          readonly cameraUuids: ReadonlyArray<string>;
          readonly note: string;
          readonly addedBy: string;
          readonly addedAtMs: number;
        }>;
        readonly hiddenItems: number;
      };
    };
  };
  'evidence/updateCase': {
    readonly request: {
      readonly caseUuid: string;
      readonly title?: string | undefined;
      readonly number?: string | undefined;
      readonly notes?: string | undefined;
    };
    readonly answer: {
      readonly case: {
        readonly uuid: string;
        readonly title: string;
        readonly number: string;
        readonly notes: string;
        readonly createdBy: string;
        readonly createdAtMs: number;
        readonly state: 'open' | 'sealing' | 'sealed' | 'failed';
        readonly failureCode?: string;
        readonly sealedBy?: string;
        readonly sealedAtMs?: number;
        readonly fingerprint?: string;
        readonly items: ReadonlyArray<{
          readonly uuid: string;
          readonly cameraUuid?: string;
          readonly fromMs?: number;
          readonly toMs?: number;
          readonly clipUuid?: string;
          readonly cameraUuids: ReadonlyArray<string>;
          readonly note: string;
          readonly addedBy: string;
          readonly addedAtMs: number;
        }>;
        readonly hiddenItems: number;
      };
    };
  };
  'integrations/org/getApiTokens': {
    readonly request: {
      readonly optionalFilter?: ReadonlyArray<'DEVELOPER' | 'PARTNER_DEVELOPER' | 'EXECUTABLE' | 'INTERNAL_SALESFORCE' | 'TVOS' | 'KIOSK' | 'KEYPAD' | 'SQUARE' | 'BADGE_VENDOR_A' | 'BADGE_VENDOR_B' | 'BADGE_VENDOR_C' | 'ALARM_VENDOR' | 'OPENPATH' | 'POINT_OF_SALE' | 'HALO' | 'SALTO' | 'BUTTERFLYMX' | 'PRODATAKEY' | 'ENVOY' | 'PIMLOC' | 'PLACEOS' | 'OMNIALERT' | 'FLIC' | 'NINEONEONECELLULAR' | 'CHATBOT' | 'UNKNOWN'> | undefined;
    };
    readonly answer: {
      readonly apiTokens: ReadonlyArray<{
        readonly tokenUuid: string;
        readonly orgUuid: string;
        readonly displayName: string;
        readonly clientType: 'DEVELOPER' | 'PARTNER_DEVELOPER' | 'EXECUTABLE' | 'INTERNAL_SALESFORCE' | 'TVOS' | 'KIOSK' | 'KEYPAD' | 'SQUARE' | 'BADGE_VENDOR_A' | 'BADGE_VENDOR_B' | 'BADGE_VENDOR_C' | 'ALARM_VENDOR' | 'OPENPATH' | 'POINT_OF_SALE' | 'HALO' | 'SALTO' | 'BUTTERFLYMX' | 'PRODATAKEY' | 'ENVOY' | 'PIMLOC' | 'PLACEOS' | 'OMNIALERT' | 'FLIC' | 'NINEONEONECELLULAR' | 'CHATBOT' | 'UNKNOWN';
        readonly role?: 'viewer' | 'operator' | 'admin';
        readonly scope?: {
          readonly locationUuids: ReadonlyArray<string>;
          readonly cameraUuids: ReadonlyArray<string>;
        };
        readonly timestampMs: number;
        readonly expirationTime?: number;
        readonly lastUsedMs?: number;
        readonly authType: 'API_TOKEN' | 'CERT';
        readonly authenticationTokenHash: string;
        readonly hashed: boolean;
        readonly allowedRequetsPerSecond: number;
        readonly permissionGroupUuid?: string;
        readonly clientDetails: Readonly<Record<string, string>>;
        readonly cert?: string;
        readonly certFingerprint?: string;
        readonly csr?: string;
      }>;
      readonly usesNotedSinceMs: number;
    };
  };
  'integrations/org/revokeApiToken': {
    readonly request: {
      readonly tokenUuid: string;
    };
    readonly answer: object;
  };
  'integrations/org/submitApiTokenApplication': {
    readonly request: {
      readonly displayName: string;
      readonly authType?: 'API_TOKEN' | 'CERT' | undefined;
      readonly csr?: string | undefined;
      readonly reportsOnly?: boolean | undefined;
      readonly role?: 'viewer' | 'operator' | 'admin' | undefined;
      readonly scope?: {
        readonly locationUuids: ReadonlyArray<string>;
        readonly cameraUuids: ReadonlyArray<string>;
      } | undefined;
      readonly expirationTimeSecs?: number | undefined;
    };
    readonly answer: {
      readonly apiKey: string;
      readonly cert?: string;
      readonly validCSR?: boolean;
    };
  };
  'integrations/org/updateApiToken': {
    readonly request: {
      readonly tokenUuid: string;
      readonly role?: 'viewer' | 'operator' | 'admin' | undefined;
      readonly scope?: {
        readonly locationUuids: ReadonlyArray<string>;
        readonly cameraUuids: ReadonlyArray<string>;
      } | undefined;
      readonly scopeUpdated?: boolean | undefined;
      readonly expirationTimeSecs?: number | undefined;
      readonly expirationTimeSecsUpdated?: boolean | undefined;
    };
    readonly answer: {
      readonly apiToken: {
        readonly tokenUuid: string;
        readonly orgUuid: string;
        readonly displayName: string;
        readonly clientType: 'DEVELOPER' | 'PARTNER_DEVELOPER' | 'EXECUTABLE' | 'INTERNAL_SALESFORCE' | 'TVOS' | 'KIOSK' | 'KEYPAD' | 'SQUARE' | 'BADGE_VENDOR_A' | 'BADGE_VENDOR_B' | 'BADGE_VENDOR_C' | 'ALARM_VENDOR' | 'OPENPATH' | 'POINT_OF_SALE' | 'HALO' | 'SALTO' | 'BUTTERFLYMX' | 'PRODATAKEY' | 'ENVOY' | 'PIMLOC' | 'PLACEOS' | 'OMNIALERT' | 'FLIC' | 'NINEONEONECELLULAR' | 'CHATBOT' | 'UNKNOWN';
        readonly role?: 'viewer' | 'operator' | 'admin';
        readonly scope?: {
          readonly locationUuids: ReadonlyArray<string>;
          readonly cameraUuids: ReadonlyArray<string>;
        };
        readonly timestampMs: number;
        readonly expirationTime?: number;
        readonly lastUsedMs?: number;
        readonly authType: 'API_TOKEN' | 'CERT';
        readonly authenticationTokenHash: string;
        readonly hashed: boolean;
        readonly allowedRequetsPerSecond: number;
        readonly permissionGroupUuid?: string;
        readonly clientDetails: Readonly<Record<string, string>>;
        readonly cert?: string;
        readonly certFingerprint?: string;
        readonly csr?: string;
      };
    };
  };
  'integrations/webhooks/getWebhookIntegration': {
    readonly request: object;
    readonly answer: {
      readonly orgIntegrationV2?: {
        readonly enabled: boolean;
        readonly integration: string;
        readonly integrationAuditMap: Readonly<Record<string, {
          readonly integrationAuditEvent: 'UPDATE' | 'DELETE';
          readonly enabledTimestampMs: number;
          readonly user: string;
          readonly userUuid?: string;
        }>>;
        readonly orgUuid: string;
        readonly userUuid?: string;
        readonly activityWebhooks: Readonly<Record<string, string>>;
        readonly activityWebhooksV2: Readonly<Record<string, {
          readonly webhookDisabled: boolean;
          readonly webhookSecret: string;
        }>>;
        readonly diagnosticWebhooks: Readonly<Record<string, string>>;
        readonly diagnosticWebhooksV2: Readonly<Record<string, {
          readonly webhookDisabled: boolean;
          readonly webhookSecret: string;
        }>>;
        readonly ruleWebhooks: Readonly<Record<string, {
          readonly webhookDisabled: boolean;
          readonly webhookSecret: string;
        }>>;
      };
    };
  };
  'integrations/webhooks/updateWebhookIntegrationV2': {
    readonly request: {
      readonly webhookUrl?: string | undefined;
      readonly isDiagnostic?: boolean | undefined;
      readonly disabled?: boolean | undefined;
      readonly updatedWebhookSettings?: {
        readonly orgUuid?: string | undefined;
        readonly enabled?: boolean | undefined;
        readonly userUuid?: string | undefined;
        readonly activityWebhooks?: Readonly<Record<string, string>> | undefined;
        readonly activityWebhooksV2?: Readonly<Record<string, {
          readonly webhookDisabled?: boolean | undefined;
          readonly webhookSecret?: string | undefined;
        }>> | undefined;
        readonly diagnosticWebhooks?: Readonly<Record<string, string>> | undefined;
        readonly diagnosticWebhooksV2?: Readonly<Record<string, {
          readonly webhookDisabled?: boolean | undefined;
          readonly webhookSecret?: string | undefined;
        }>> | undefined;
      } | undefined;
    };
    readonly answer: {
      readonly webhookSecret?: string;
    };
  };
  'location/createLocation': {
    readonly request: {
      readonly location: {
        readonly name: string;
        readonly tz?: string | undefined;
        readonly latitude?: number | undefined;
        readonly longitude?: number | undefined;
        readonly address1?: string | undefined;
        readonly address2?: string | undefined;
        readonly postalCode?: string | undefined;
        readonly countryCode?: string | undefined;
        readonly policyUuid?: string | undefined;
        readonly labels?: ReadonlyArray<string> | undefined;
      };
      readonly parentLocationUuid?: string | undefined;
    };
    readonly answer: {
      readonly uuid: string;
    };
  };
  'location/deleteLocation': {
    readonly request: {
      readonly uuid: string;
    };
    readonly answer: object;
  };
  'location/getFloorPlan': {
    readonly request: {
      readonly locationUuid: string;
    };
    readonly answer: {
      readonly image?: {
        readonly imageData: string;
        readonly widthPx: number;
        readonly heightPx: number;
      };
      readonly cameras: ReadonlyArray<{
        readonly cameraUuid: string;
        readonly x: number;
        readonly y: number;
        readonly directionDeg: number;
        readonly angleDeg: number;
        readonly reach: number;
      }>;
    };
  };
  'location/getLocationsV2': {
    readonly request: {
      readonly subLocationsIncluded?: boolean | undefined;
    };
    readonly answer: {
      readonly locations: ReadonlyArray<{
        readonly uuid: string;
        readonly name: string;
        readonly tz: string;
        readonly latitude?: number;
        readonly longitude?: number;
        readonly address1?: string;
        readonly address2?: string;
        readonly postalCode?: string;
        readonly countryCode?: string;
        readonly policyUuid?: string;
        readonly labels: ReadonlyArray<string>;
        readonly floorPlans: ReadonlyArray<object>;
        readonly subLocations: ReadonlyArray<Readonly<Record<string, unknown>>>;
      }>;
    };
  };
  'location/placeCameraOnPlan': {
    readonly request: {
      readonly locationUuid: string;
      readonly cameraUuid: string;
      readonly x: number;
      readonly y: number;
      readonly directionDeg: number;
      readonly angleDeg: number;
      readonly reach: number;
    };
    readonly answer: object;
  };
  'location/removeCameraFromPlan': {
    readonly request: {
      readonly cameraUuid: string;
    };
    readonly answer: object;
  };
  'location/removeFloorPlan': {
    readonly request: {
      readonly locationUuid: string;
    };
    readonly answer: object;
  };
  'location/setFloorPlan': {
    readonly request: {
      readonly locationUuid: string;
      readonly imageData: string;
    };
    readonly answer: object;
  };
  'location/updateLocation': {
    readonly request: {
      readonly location: {
        readonly name?: string | undefined;
        readonly tz?: string | undefined;
        readonly latitude?: number | undefined;
        readonly longitude?: number | undefined;
        readonly address1?: string | undefined;
        readonly address2?: string | undefined;
        readonly postalCode?: string | undefined;
        readonly countryCode?: string | undefined;
        readonly policyUuid?: string | undefined;
        readonly labels?: ReadonlyArray<string> | undefined;
        readonly uuid: string;
        readonly latitudeUpdated?: boolean | undefined;
        readonly longitudeUpdated?: boolean | undefined;
      };
    };
    readonly answer: object;
  };
  'oauth/deleteApplication': {
    readonly request: {
      readonly clientId: string;
      readonly name?: string | undefined;
      readonly description?: string | undefined;
      readonly contactEmail?: string | undefined;
      readonly redirectUri?: string | undefined;
    };
    readonly answer: object;
  };
  'oauth/getAllApplicationsForOrg': {
    readonly request: object;
    readonly answer: {
      readonly oauthApplications: ReadonlyArray<{
        readonly clientId: string;
        readonly clientSecretHash?: string;
        readonly contactEmail?: string;
        readonly description?: string;
        readonly name: string;
        readonly orgUuid: string;
        readonly redirectUri: string;
      }>;
    };
  };
  'oauth/getAllGrantsForOrg': {
    readonly request: object;
    readonly answer: {
      readonly grants: ReadonlyArray<{
        readonly grantUuid: string;
        readonly clientId: string;
        readonly tokenUuid: string;
        readonly createdAtMillis: number;
      }>;
    };
  };
  'oauth/revokeGrant': {
    readonly request: {
      readonly grantUuid: string;
    };
    readonly answer: object;
  };
  'oauth/submitApplication': {
    readonly request: {
      readonly clientId?: string | undefined;
      readonly name?: string | undefined;
      readonly description?: string | undefined;
      readonly contactEmail?: string | undefined;
      readonly redirectUri?: string | undefined;
    };
    readonly answer: {
      readonly clientId: string;
      readonly clientSecret: string;
    };
  };
  'policy/getPoliciesUsingSchedule': {
    readonly request: {
      readonly scheduleUuid: string;
    };
    readonly answer: {
      readonly climatePolicyList: ReadonlyArray<{
        readonly uuid: string;
        readonly orgUuid: string;
        readonly name: string;
        readonly description?: string;
        readonly backoffAlertSecs: Readonly<Record<string, number>>;
        readonly scheduledTriggers: ReadonlyArray<{
          readonly schedule: {
            readonly uuid: string;
            readonly orgUuid: string;
            readonly name: string;
            readonly strategy: 'WEEKLY_REPEATING_MINUTES' | 'ABSOLUTE_SECONDS' | 'REALTIME_RELATIVE_SECONDS' | 'RELATIVE_DATETIME_INTERVALS';
            readonly mutable: boolean;
            readonly oneTimeUse: boolean;
            readonly intervalList?: ReadonlyArray<{
              readonly minuteOfWeekStart: number;
              readonly minuteOfWeekStop: number;
            }>;
          };
          readonly triggerSet: ReadonlyArray<{
            readonly activity?: string;
            readonly threshold?: number;
          }>;
        }>;
        readonly defaultTriggers: ReadonlyArray<{
          readonly activity?: string;
          readonly threshold?: number;
        }>;
      }>;
      readonly accessControlledDoorPolicyList: ReadonlyArray<object>;
      readonly audioPolicyList: ReadonlyArray<object>;
      readonly cameraPolicyList: ReadonlyArray<object>;
      readonly doorPolicyList: ReadonlyArray<object>;
      readonly occupancyPolicyList: ReadonlyArray<object>;
      readonly proximityPolicyList: ReadonlyArray<object>;
      readonly videoIntercomPolicyList: ReadonlyArray<object>;
    };
  };
  'policy/updateSchedule': {
    readonly request: {
      readonly schedule: {
        readonly uuid: string;
        readonly name?: string | undefined;
        readonly intervalList?: ReadonlyArray<{
          readonly minuteOfWeekStart: number;
          readonly minuteOfWeekStop: number;
        }> | undefined;
        readonly strategy?: 'WEEKLY_REPEATING_MINUTES' | undefined;
      };
    };
    readonly answer: object;
  };
  'relay/addThirdPartyCameraViaRtmp': {
    readonly request: {
      readonly name: string;
      readonly nvrUuid?: string | undefined;
      readonly locationUuid?: string | undefined;
    };
    readonly answer: {
      readonly deviceUuid: string;
      readonly publishKey: string;
    };
  };
  'relay/createNvr': {
    readonly request: {
      readonly name: string;
      readonly locationUuid?: string | undefined;
    };
    readonly answer: {
      readonly nvrUuid: string;
    };
  };
  'relay/getMinimalNVRStateList': {
    readonly request: object;
    readonly answer: {
      readonly nvrstates: ReadonlyArray<{
        readonly uuid: string;
        readonly name: string;
        readonly serialNumber?: string;
        readonly createdAtMillis: number;
        readonly locationUuid?: string;
        readonly mummified: boolean;
        readonly liveStreamShared: boolean;
        readonly liveStreamsSharedCount: number;
        readonly connectionStatus?: 'RED' | 'ORANGE' | 'YELLOW' | 'GREEN';
        readonly connectionDetail?: {
          readonly state: 'not-checked' | 'connecting' | 'live' | 'reachable' | 'offline';
          readonly sinceMs?: number;
          readonly offlineSinceMs?: number;
          readonly checkedAtMs?: number;
          readonly retryAtMs?: number;
          readonly waiting?: {
            readonly ahead: number;
            readonly running: number;
            readonly maxWorkers: number;
          };
          readonly reason?: 'unreachable' | 'tls-failed' | 'wrong-password' | 'login-unsupported' | 'wrong-path' | 'busy' | 'refused' | 'not-allowed' | 'unsupported' | 'silent' | 'frozen' | 'flood' | 'disconnected' | 'protocol' | 'no-worker' | 'gateway';
          readonly code?: string;
          readonly message?: string;
          readonly advice?: string;
          readonly host?: string;
          readonly port?: number;
          readonly errno?: string;
          readonly substream?: {
            readonly state: 'not-checked' | 'connecting' | 'live' | 'reachable' | 'offline';
            readonly sinceMs?: number;
            readonly offlineSinceMs?: number;
            readonly checkedAtMs?: number;
            readonly retryAtMs?: number;
            readonly waiting?: {
              readonly ahead: number;
              readonly running: number;
              readonly maxWorkers: number;
            };
            readonly reason?: 'unreachable' | 'tls-failed' | 'wrong-password' | 'login-unsupported' | 'wrong-path' | 'busy' | 'refused' | 'not-allowed' | 'unsupported' | 'silent' | 'frozen' | 'flood' | 'disconnected' | 'protocol' | 'no-worker' | 'gateway';
            readonly code?: string;
            readonly message?: string;
            readonly advice?: string;
            readonly host?: string;
            readonly port?: number;
            readonly errno?: string;
          };
        };
        readonly healthStatus?: 'RED' | 'ORANGE' | 'YELLOW' | 'GREEN';
        readonly healthStatusDetails?: 'DISCONNECTED' | 'FIRMWARE_BEHIND' | 'NOT_RECORDING' | 'LINK_SPEED_LOW' | 'MALFUNCTIONING_MODULES' | 'CALIBRATING' | 'DELAYED' | 'NONE';
        readonly supportedFacets: ReadonlyArray<string>;
        readonly facetNameMap: Readonly<Record<string, string>>;
        readonly policyUuid?: string;
        readonly subLocationsHierarchyKey?: string;
        readonly floorNumber?: number;
        readonly directionRadians?: number;
        readonly latitude?: number;
        readonly longitude?: number;
        readonly defaultInterface?: string;
        readonly defaultInterfaceMac?: string;
        readonly externalIPAddress?: string;
        readonly firmwareVersion?: string;
        readonly firmwareUpdateInProgress?: boolean;
        readonly hwVariation?: string;
        readonly mediaRegion?: string;
        readonly region?: string;
        readonly mediaStorageDeviceUuid?: string;
        readonly ssid?: string;
        readonly wifiApMac?: string;
        readonly wifiBars?: number;
        readonly wifiSignalStrength?: number;
        readonly lanAddresses: ReadonlyArray<string>;
        readonly secondaryLanAddresses: ReadonlyArray<string>;
        readonly numThirdPartyCamerasAssigned: number;
        readonly numThirdPartyCamerasSupported?: number;
      }>;
    };
  };
  'relay/getMinimalThirdPartyCameraStateList': {
    readonly request: object;
    readonly answer: {
      readonly thirdPartyCameraStateList: ReadonlyArray<{
        readonly uuid: string;
        readonly name: string;
        readonly serialNumber?: string;
        readonly createdAtMillis: number;
        readonly locationUuid?: string;
        readonly mummified: boolean;
        readonly liveStreamShared: boolean;
        readonly liveStreamsSharedCount: number;
        readonly connectionStatus?: 'RED' | 'ORANGE' | 'YELLOW' | 'GREEN';
        readonly connectionDetail?: {
          readonly state: 'not-checked' | 'connecting' | 'live' | 'reachable' | 'offline';
          readonly sinceMs?: number;
          readonly offlineSinceMs?: number;
          readonly checkedAtMs?: number;
          readonly retryAtMs?: number;
          readonly waiting?: {
            readonly ahead: number;
            readonly running: number;
            readonly maxWorkers: number;
          };
          readonly reason?: 'unreachable' | 'tls-failed' | 'wrong-password' | 'login-unsupported' | 'wrong-path' | 'busy' | 'refused' | 'not-allowed' | 'unsupported' | 'silent' | 'frozen' | 'flood' | 'disconnected' | 'protocol' | 'no-worker' | 'gateway';
          readonly code?: string;
          readonly message?: string;
          readonly advice?: string;
          readonly host?: string;
          readonly port?: number;
          readonly errno?: string;
          readonly substream?: {
            readonly state: 'not-checked' | 'connecting' | 'live' | 'reachable' | 'offline';
            readonly sinceMs?: number;
            readonly offlineSinceMs?: number;
            readonly checkedAtMs?: number;
            readonly retryAtMs?: number;
            readonly waiting?: {
              readonly ahead: number;
              readonly running: number;
              readonly maxWorkers: number;
            };
            readonly reason?: 'unreachable' | 'tls-failed' | 'wrong-password' | 'login-unsupported' | 'wrong-path' | 'busy' | 'refused' | 'not-allowed' | 'unsupported' | 'silent' | 'frozen' | 'flood' | 'disconnected' | 'protocol' | 'no-worker' | 'gateway';
            readonly code?: string;
            readonly message?: string;
            readonly advice?: string;
            readonly host?: string;
            readonly port?: number;
            readonly errno?: string;
          };
        };
        readonly healthStatus?: 'RED' | 'ORANGE' | 'YELLOW' | 'GREEN';
        readonly healthStatusDetails?: 'DISCONNECTED' | 'FIRMWARE_BEHIND' | 'NOT_RECORDING' | 'LINK_SPEED_LOW' | 'MALFUNCTIONING_MODULES' | 'CALIBRATING' | 'DELAYED' | 'NONE';
        readonly supportedFacets: ReadonlyArray<string>;
        readonly facetNameMap: Readonly<Record<string, string>>;
        readonly policyUuid?: string;
        readonly subLocationsHierarchyKey?: string;
        readonly floorNumber?: number;
        readonly directionRadians?: number;
        readonly latitude?: number;
        readonly longitude?: number;
        readonly defaultInterface?: string;
        readonly defaultInterfaceMac?: string;
        readonly externalIPAddress?: string;
        readonly firmwareVersion?: string;
        readonly firmwareUpdateInProgress?: boolean;
        readonly hwVariation?: string;
        readonly mediaRegion?: string;
        readonly region?: string;
        readonly mediaStorageDeviceUuid?: string;
        readonly ssid?: string;
        readonly wifiApMac?: string;
        readonly wifiBars?: number;
        readonly wifiSignalStrength?: number;
        readonly lanAddresses: ReadonlyArray<string>;
        readonly secondaryLanAddresses: ReadonlyArray<string>;
        readonly assignedNVRUuid?: string;
        readonly assignedRelayCameraUuid?: string;
        readonly rtspUrl?: string;
        readonly lastRtspUrlStatus?: 'UNKNOWN' | 'NOT_REACHABLE' | 'NOT_AUTHENTICATED' | 'NOT_SUPPORTED' | 'GOOD';
        readonly codec?: string;
        readonly lastVisibleMs: Readonly<Record<string, number>>;
        readonly lastVisibleLocationMs: Readonly<Record<string, number>>;
        readonly discoveredByDeviceUuid?: string;
        readonly manufacturer?: string;
        readonly model?: string;
      }>;
    };
  };
  'relay/getPtzStatus': {
    readonly request: {
      readonly cameraUuid: string;
    };
    readonly answer: {
      readonly panTiltModes: ReadonlyArray<'CONTINUOUS' | 'RELATIVE' | 'ABSOLUTE'>;
      readonly zoomModes: ReadonlyArray<'CONTINUOUS' | 'RELATIVE' | 'ABSOLUTE'>;
      readonly position?: {
        readonly pan?: number;
        readonly tilt?: number;
        readonly zoom?: number;
      };
      readonly moveStatus: 'IDLE' | 'MOVING' | 'UNKNOWN';
      readonly presets: ReadonlyArray<{
        readonly presetToken: string;
        readonly name: string;
      }>;
      readonly maxPresets: number;
    };
  };
  'relay/gotoPtzPreset': {
    readonly request: {
      readonly cameraUuid: string;
      readonly presetToken: string;
    };
    readonly answer: object;
  };
  'relay/movePtz': {
    readonly request: {
      readonly cameraUuid: string;
      readonly mode: 'CONTINUOUS' | 'RELATIVE' | 'ABSOLUTE';
      readonly pan?: number | undefined;
      readonly tilt?: number | undefined;
      readonly zoom?: number | undefined;
      readonly timeoutMs?: number | undefined;
    };
    readonly answer: object;
  };
  'relay/removePtzPreset': {
    readonly request: {
      readonly cameraUuid: string;
      readonly presetToken: string;
    };
    readonly answer: object;
  };
  'relay/setPtzPreset': {
    readonly request: {
      readonly cameraUuid: string;
      readonly name: string;
      readonly presetToken?: string | undefined;
    };
    readonly answer: {
      readonly presetToken: string;
    };
  };
  'relay/stopPtz': {
    readonly request: {
      readonly cameraUuid: string;
    };
    readonly answer: object;
  };
  'relay/unregister': {
    readonly request: {
      readonly nvruuid: string;
    };
    readonly answer: {
      readonly responseStatus: 'BASIC_AUTH_FAILED' | 'PASSWORD_MISMATCH' | 'SAME_PASSWORD' | 'USER_EXISTS' | 'USER_NOT_FOUND' | 'DEVICE_NOT_FOUND' | 'POLICY_NOT_FOUND' | 'LOCATION_NOT_FOUND' | 'ORG_NOT_FOUND' | 'BAD_INPUT' | 'SUCCESS' | 'PASSWORD_TOO_SHORT';
    };
  };
  'relay/updateDetailsV2': {
    readonly request: {
      readonly uuid: string;
      readonly name?: string | undefined;
      readonly nameUpdated?: boolean | undefined;
      readonly locationUuid?: string | undefined;
      readonly locationUuidUpdated?: boolean | undefined;
      readonly description?: string | undefined;
      readonly descriptionUpdated?: boolean | undefined;
      readonly directionRadians?: number | undefined;
      readonly directionRadiansUpdated?: boolean | undefined;
      readonly floorNumber?: number | undefined;
      readonly floorNumberUpdated?: boolean | undefined;
      readonly latitude?: number | undefined;
      readonly latitudeUpdated?: boolean | undefined;
      readonly longitude?: number | undefined;
      readonly longitudeUpdated?: boolean | undefined;
      readonly subLocationsHierarchyKey?: string | undefined;
      readonly subLocationsHierarchyKeyUpdated?: boolean | undefined;
      readonly policyUuid?: string | undefined;
    };
    readonly answer: object;
  };
  'report/findAuditEvents': {
    readonly request: {
      readonly about?: 'VIEWS' | 'CHANGES' | undefined;
      readonly actions?: ReadonlyArray<string> | undefined;
      readonly principalUuid?: string | undefined;
      readonly targetUuid?: string | undefined;
      readonly sourceIp?: string | undefined;
      readonly timestampMsAfter?: number | undefined;
      readonly timestampMsBefore?: number | undefined;
      readonly lastEvaluatedKey?: string | undefined;
      readonly maxPageSize?: number | undefined;
    };
    readonly answer: {
      readonly auditEvents: ReadonlyArray<{
        readonly uuid: string;
        readonly orgUuid: string;
        readonly timestamp: string;
        readonly lastTimestamp: string;
        readonly occurrences: number;
        readonly action: string;
        readonly displayText: string;
        readonly failure: boolean;
        readonly principalType: 'API_TOKEN' | 'API_OAUTH_TOKEN' | 'PARTNER' | 'DEVICE' | 'USER' | 'SHARED_STREAM' | 'SHARED_CLIP' | 'SHARED_TIMELAPSE' | 'UNKNOWN';
        readonly principalUuid: string;
        readonly principalName: string;
        readonly clientType: 'API_TOKEN' | 'API_OAUTH_TOKEN' | 'PARTNER_API_TOKEN' | 'DEVICE' | 'WEB' | 'SHARE_ANONYMOUS' | 'SHARE_SSO';
        readonly targetUuid: string;
        readonly targetName: string;
        readonly sourceIp: string;
        readonly userAgent: string;
        readonly sourceCity: string;
        readonly sourceState: string;
        readonly sourceCountry: string;
        readonly asi?: string;
        readonly selectiveUpdateStr?: string;
      }>;
      readonly lastEvaluatedKey?: string;
    };
  };
  'report/getAuditFeed': {
    readonly request: {
      readonly timestampMsAfter?: number | undefined;
      readonly timestampMsBefore?: number | undefined;
      readonly includeActions?: ReadonlyArray<string> | undefined;
      readonly excludeActions?: ReadonlyArray<string> | undefined;
      readonly cameraUuid?: string | undefined;
    };
    readonly answer: {
      readonly auditEvents: ReadonlyArray<{
        readonly uuid: string;
        readonly orgUuid: string;
        readonly timestamp: string;
        readonly lastTimestamp: string;
        readonly occurrences: number;
        readonly action: string;
        readonly displayText: string;
        readonly failure: boolean;
        readonly principalType: 'API_TOKEN' | 'API_OAUTH_TOKEN' | 'PARTNER' | 'DEVICE' | 'USER' | 'SHARED_STREAM' | 'SHARED_CLIP' | 'SHARED_TIMELAPSE' | 'UNKNOWN';
        readonly principalUuid: string;
        readonly principalName: string;
        readonly clientType: 'API_TOKEN' | 'API_OAUTH_TOKEN' | 'PARTNER_API_TOKEN' | 'DEVICE' | 'WEB' | 'SHARE_ANONYMOUS' | 'SHARE_SSO';
        readonly targetUuid: string;
        readonly targetName: string;
        readonly sourceIp: string;
        readonly userAgent: string;
        readonly sourceCity: string;
        readonly sourceState: string;
        readonly sourceCountry: string;
        readonly asi?: string;
        readonly selectiveUpdateStr?: string;
      }>;
    };
  };
  'schedule/createWeeklySchedule': {
    readonly request: {
      readonly schedule: {
        readonly name: string;
        readonly intervalList: ReadonlyArray<{
          readonly minuteOfWeekStart: number;
          readonly minuteOfWeekStop: number;
        }>;
        readonly oneTimeUse?: boolean | undefined;
        readonly strategy?: 'WEEKLY_REPEATING_MINUTES' | undefined;
      };
    };
    readonly answer: {
      readonly scheduleUuid: string;
    };
  };
  'schedule/deleteSchedule': {
    readonly request: {
      readonly scheduleUuid: string;
    };
    readonly answer: object;
  };
  'schedule/getScheduleDataV2': {
    readonly request: {
      readonly scheduleUuid: string;
    };
    readonly answer: {
      readonly weeklyScheduleData: {
        readonly uuid: string;
        readonly orgUuid: string;
        readonly name: string;
        readonly strategy: 'WEEKLY_REPEATING_MINUTES';
        readonly mutable: boolean;
        readonly oneTimeUse: boolean;
        readonly intervalList: ReadonlyArray<{
          readonly minuteOfWeekStart: number;
          readonly minuteOfWeekStop: number;
        }>;
        readonly sharedStreamUuids: ReadonlyArray<string>;
        readonly locationsUsedIn: ReadonlyArray<string>;
        readonly accessGrantUuids: ReadonlyArray<string>;
        readonly alarmMonitoringUuids: ReadonlyArray<string>;
        readonly alertPolicyUuids: ReadonlyArray<string>;
        readonly customEventUuids: ReadonlyArray<string>;
        readonly doorSettingUuids: ReadonlyArray<string>;
        readonly ruleUuids: ReadonlyArray<string>;
      };
    };
  };
  'schedule/getScheduleUses': {
    readonly request: {
      readonly scheduleUuid: string;
    };
    readonly answer: {
      readonly uses: ReadonlyArray<{
        readonly kind: 'SHARED_STREAM' | 'SHARED_VIDEO_WALL' | 'DOOR' | 'ELEVATOR_LANDING' | 'LOCKDOWN_RULE' | 'ACCESS_REVOCATION' | 'CLIMATE_POLICY' | 'CAMERA_CONFIG';
        readonly uuid: string;
        readonly name: string;
        readonly invertSchedule: boolean;
      }>;
    };
  };
  'schedule/getSchedules': {
    readonly request: object;
    readonly answer: {
      readonly weeklySchedules: ReadonlyArray<{
        readonly uuid: string;
        readonly orgUuid: string;
        readonly name: string;
        readonly strategy: 'WEEKLY_REPEATING_MINUTES';
        readonly mutable: boolean;
        readonly oneTimeUse: boolean;
        readonly intervalList: ReadonlyArray<{
          readonly minuteOfWeekStart: number;
          readonly minuteOfWeekStop: number;
        }>;
      }>;
      readonly absoluteSchedules: ReadonlyArray<{
        readonly uuid: string;
        readonly orgUuid: string;
        readonly name: string;
        readonly strategy: 'ABSOLUTE_SECONDS';
        readonly mutable: boolean;
        readonly oneTimeUse: boolean;
        readonly intervalList: ReadonlyArray<{
          readonly b: number;
          readonly e: number;
        }>;
      }>;
      readonly relativeSchedules: ReadonlyArray<{
        readonly uuid: string;
        readonly orgUuid: string;
        readonly name: string;
        readonly strategy: 'REALTIME_RELATIVE_SECONDS';
        readonly mutable: boolean;
        readonly oneTimeUse: boolean;
        readonly pastSeconds: number;
      }>;
      readonly relativeDatetimeSchedules: ReadonlyArray<{
        readonly uuid: string;
        readonly orgUuid: string;
        readonly name: string;
        readonly strategy: 'RELATIVE_DATETIME_INTERVALS';
        readonly mutable: boolean;
        readonly oneTimeUse: boolean;
        readonly intervals: ReadonlyArray<{
          readonly localStartDateTime: string;
          readonly localEndDateTime: string;
        }>;
      }>;
    };
  };
  'video/cancelSpliceV2': {
    readonly request: {
      readonly clipUuid?: string | undefined;
      readonly clipUuidList?: ReadonlyArray<string> | undefined;
      readonly deviceUuids?: ReadonlyArray<string> | undefined;
    };
    readonly answer: object;
  };
  'video/deleteSharedTimelapseGroup': {
    readonly request: {
      readonly uuid: string;
    };
    readonly answer: object;
  };
  'video/getExactFrameData': {
    readonly request: {
      readonly cameraUuid: string;
      readonly timestampMs: number;
      readonly downscaleFactor?: number | undefined;
      readonly jpgQuality?: number | undefined;
      readonly permyriadCropX?: number | undefined;
      readonly permyriadCropY?: number | undefined;
      readonly permyriadCropWidth?: number | undefined;
      readonly permyriadCropHeight?: number | undefined;
    };
    readonly answer: {
      readonly frameData: string;
    };
  };
  'video/spliceV3': {
    readonly request: {
      readonly deviceUuids: ReadonlyArray<string>;
      readonly startTimeMillis: number;
      readonly durationSec: number;
      readonly title?: string | undefined;
      readonly description?: string | undefined;
      readonly maxHeight?: number | undefined;
      readonly audioIncluded?: boolean | undefined;
      readonly accessSettings?: {
        readonly visibility?: 'PRIVATE' | 'ROLE_RESTRICTED' | 'ORG_WIDE' | undefined;
        readonly allowedRoles?: ReadonlyArray<string> | undefined;
        readonly allowedUsers?: ReadonlyArray<string> | undefined;
      } | undefined;
      readonly clipVisibility?: 'PRIVATE' | 'ROLE_RESTRICTED' | 'ORG_WIDE' | undefined;
      readonly alteredViewMap?: Readonly<Record<string, ReadonlyArray<{
        readonly crop?: {
          readonly x?: number | undefined;
          readonly y?: number | undefined;
          readonly width?: number | undefined;
          readonly height?: number | undefined;
        } | undefined;
        readonly dewarp?: {
          readonly aspectRatio?: {
            readonly height?: number | undefined;
            readonly width?: number | undefined;
          } | undefined;
          readonly pitchDegrees?: number | undefined;
          readonly rollDegrees?: number | undefined;
          readonly yawDegrees?: number | undefined;
          readonly verticalFieldOfViewDegrees?: number | undefined;
        } | undefined;
      }>>> | undefined;
      readonly integrationUploadMap?: Readonly<Record<string, boolean>> | undefined;
      readonly saveToConsole?: boolean | undefined;
      readonly sendToSharedStorage?: boolean | undefined;
      readonly sendToUserStorage?: boolean | undefined;
    };
    readonly answer: {
      readonly clipUuid: string;
      readonly clipUuidList: ReadonlyArray<string>;
    };
  };
  'video/updateSharedTimelapseGroup': {
    readonly request: {
      readonly uuid: string;
      readonly title?: string | undefined;
      readonly plaintextPassword?: string | undefined;
      readonly ssoProtected?: false | undefined;
      readonly description?: string | undefined;
      readonly titleUpdate?: boolean | undefined;
      readonly descriptionUpdate?: boolean | undefined;
      readonly passwordUpdate?: boolean | undefined;
      readonly expirationTimeSecs?: number | undefined;
      readonly expirationTimeUpdate?: boolean | undefined;
    };
    readonly answer: {
      readonly uuid: string;
      readonly shareUrl: string;
    };
  };
  'webhook/getDeliveries': {
    readonly request: {
      readonly isNewestFirst?: boolean | undefined;
      readonly causeUuid?: string | undefined;
      readonly lastEvaluatedKey?: string | undefined;
      readonly maxPageSize?: number | undefined;
    };
    readonly answer: {
      readonly deliveries: ReadonlyArray<{
        readonly uuid: string;
        readonly causeUuid?: string;
        readonly event: string;
        readonly url: string;
        readonly state: 'PENDING' | 'DELIVERED' | 'FAILED';
        readonly attempts: ReadonlyArray<{
          readonly timestampMs: number;
          readonly durationMs: number;
          readonly httpStatus?: number;
          readonly errorCode?: string;
        }>;
        readonly nextAttemptAtMs?: number;
        readonly createdAtMillis: number;
      }>;
      readonly lastEvaluatedKey?: string;
    };
  };
  'webhook/sendTestDelivery': {
    readonly request: {
      readonly webhookUrl: string;
    };
    readonly answer: {
      readonly delivered: boolean;
      readonly httpStatus?: number;
      readonly durationMs: number;
      readonly errorCode?: string;
      readonly errorSentence?: string;
      readonly responseStart?: string;
    };
  };
}
