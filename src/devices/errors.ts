/** Error codes of cameras, NVRs, their registration, locations and tags. `context.sentence`, where present, names the field or thing. */

import { defineErrors } from '../core/errors.ts';

export const DEVICE_ERRORS = defineErrors({
  CAMERA_NOT_FOUND: { kind: 'not-found', message: 'There is no camera with this UUID.' },
  CAMERA_NETWORK_INVALID: {
    kind: 'invalid-input',
    message: 'A network must be an IP address or written like 10.0.0.0/8.',
  },
  CAMERA_UNNAMED: { kind: 'invalid-input', message: 'A camera needs a name.' },
  CAMERA_SOURCE_URL_INVALID: {
    kind: 'invalid-input',
    message: 'The address of a camera must be a URL with a host, such as rtsp://192.0.2.10/stream1.',
  },
  CAMERA_PASSWORD_NEEDED: {
    kind: 'invalid-input',
    message: 'The stored password is for the address that the camera had. Give the password again.',
  },
  CAMERA_IS_PUSHED: {
    kind: 'conflict',
    message: 'A device pushes the video of this camera, so the gateway does not open it.',
  },
  CAMERA_NOT_PUSHED: {
    kind: 'conflict',
    message: 'The gateway opens this camera itself, so it has no publish key.',
  },
  PUBLISH_KEY_NOT_FOUND: { kind: 'not-found', message: 'The camera has no publish key.' },
  NOT_A_DOORBELL_CAMERA: { kind: 'invalid-input', message: 'This camera is not a doorbell camera.' },
  CAMERA_IMAGE_UNAVAILABLE: {
    kind: 'unavailable',
    message: 'The camera is not streaming, so there is no current image of it.',
  },
  CAMERA_HAS_NO_PICTURE: {
    kind: 'conflict',
    message: 'The camera sends only sound, so there is no image of it.',
  },
  CAMERA_IMAGE_BUSY: { kind: 'unavailable', message: 'Too many still images are being made.' },
  CAMERA_IMAGE_BROKEN: {
    kind: 'unavailable',
    message: 'The video of the camera could not be turned into an image.',
  },
  FRAME_NOT_RECORDED: { kind: 'not-found', message: 'There is no recording of this time.' },
  FRAME_IN_FUTURE: { kind: 'invalid-input', message: 'This time is in the future.' },
  FRAME_CROP_INVALID: {
    kind: 'invalid-input',
    message: 'The cropped part is empty or exceeds the picture.',
  },
  NVR_NOT_FOUND: { kind: 'not-found', message: 'There is no NVR with this UUID.' },
  HARDWARE_NOT_FOUND: {
    kind: 'not-found',
    message: 'There is no announced NVR with this UUID or serial number.',
  },
  HARDWARE_REGISTERED: {
    kind: 'conflict',
    message: 'An NVR with this serial number is already announced or registered.',
  },
  SERIAL_NUMBER_BLANK: { kind: 'invalid-input', message: 'An NVR needs a serial number.' },
  NVR_UNNAMED: { kind: 'invalid-input', message: 'An NVR needs a name.' },
  TOO_MANY_NVRS: { kind: 'limit', message: 'The organization has reached its limit of NVRs.' },
  TOO_MANY_REGISTRATIONS: {
    kind: 'limit',
    message: 'The organization has reached its limit of announced NVRs. Remove one first.',
  },
  TOO_MANY_LOCATIONS: { kind: 'limit', message: 'The organization has reached its limit of locations.' },
  LOCATION_UNNAMED: { kind: 'invalid-input', message: 'A location needs a name.' },
  LOCATION_TIME_ZONE_UNKNOWN: {
    kind: 'invalid-input',
    message: 'There is no IANA time zone with this name.',
  },
  LOCATION_PARENT_NOT_FOUND: {
    kind: 'invalid-input',
    message: 'The parent location does not exist.',
  },
  LOCATION_TOO_DEEP: { kind: 'invalid-input', message: 'Locations can be nested at most 16 deep.' },
  LOCATION_NOT_FOUND: { kind: 'not-found', message: 'There is no location with this UUID.' },
  DEVICE_DECLARED_IN_CONFIG: {
    kind: 'conflict',
    message: 'The configuration file declares it. Change it there.',
  },
  NVR_IN_USE: { kind: 'conflict', message: 'Cameras are assigned to the NVR.' },
  LOCATION_IN_USE: { kind: 'conflict', message: 'The location is in use.' },
  RTSP_URL_INVALID: {
    kind: 'invalid-input',
    message: 'The address of a camera must be a URL with a host, such as rtsp://192.0.2.10/stream1.',
  },
  RTSP_ENDPOINT_NOT_NAMED: {
    kind: 'invalid-input',
    message: 'Name the RTSP endpoint by its URL or by the MAC address of its camera.',
  },
  RTSP_ENDPOINT_AMBIGUOUS: {
    kind: 'invalid-input',
    message: 'The camera has several RTSP endpoints. Name one by its URL.',
  },
  RTSP_ENDPOINT_NOT_FOUND: {
    kind: 'not-found',
    message: 'There is no RTSP endpoint with this URL on a camera with this MAC address.',
  },
  RTSP_ENDPOINT_ASSIGNED: { kind: 'conflict', message: 'The RTSP endpoint is assigned to an NVR.' },
  RTSP_ENDPOINT_NOT_GOOD: {
    kind: 'conflict',
    message: 'The RTSP endpoint did not stream when last tried. Authenticate it first.',
  },
  CAMERA_NOT_ASSIGNED: {
    kind: 'not-found',
    message: 'There is no camera with this UUID that the API assigned to an NVR.',
  },
  RTSP_CREDENTIAL_NOT_FOUND: { kind: 'not-found', message: 'There is no saved credential with this UUID.' },
  TOO_MANY_RTSP_CREDENTIALS: {
    kind: 'limit',
    message: 'The organization has reached its limit of saved credentials. Delete one first.',
  },
  TOO_MANY_RTSP_ENDPOINTS: {
    kind: 'limit',
    message: 'The organization has reached its limit of RTSP endpoints. Delete a discovery first.',
  },
  TOO_MANY_CAMERAS: { kind: 'limit', message: 'The organization has reached its limit of cameras.' },
  CAMERA_CONFIG_TOO_LARGE: {
    kind: 'limit',
    message: 'All stored settings of a camera together can have 262,144 characters.',
  },
  TOO_MANY_FLOOR_PLANS: {
    kind: 'limit',
    message: 'The organization has reached its limit of floor plans. Remove one first.',
  },
  TOO_MANY_PLAN_PLACES: {
    kind: 'limit',
    message: 'The organization has reached its limit of cameras on floor plans.',
  },
  PLAN_IMAGE_INVALID: {
    kind: 'invalid-input',
    message: 'A floor plan must be a whole JPEG, baseline or progressive.',
  },
  PLAN_IMAGE_TOO_LARGE: {
    kind: 'invalid-input',
    message: 'A floor plan can have 700,000 bytes and 4,096 pixels on each side.',
  },
  SEEK_POINTS_FULL: {
    kind: 'limit',
    message: 'A camera can have 1,000 custom seek points, an organization 100,000. Delete some first.',
  },
  SEEK_POINTS_TOO_MANY: {
    kind: 'limit',
    message: 'More than 20,000 custom seek points match. Choose a shorter range, or fewer cameras.',
  },
  CAMERA_RECORDING_SCHEDULE_NEEDED: {
    kind: 'invalid-input',
    message: 'Recording by schedule needs the schedule.',
  },
  CAMERA_CONFIG_SCHEDULE_NOT_FOUND: {
    kind: 'invalid-input',
    message: 'The camera settings name a schedule that does not exist.',
  },
  CAMERA_ADDRESS_INVALID: {
    kind: 'invalid-input',
    message: 'The address of an ONVIF camera must be an IP address, such as 192.0.2.10 or 192.0.2.10:8000.',
  },
  CAMERA_TLS_INVALID: {
    kind: 'invalid-input',
    message:
      'What a certificate must prove is any, verify, or sha256: and its fingerprint of 64 hexadecimal digits.',
  },
  ASSIGNMENT_NEEDS_NVR: {
    kind: 'invalid-input',
    message: 'Assigning a camera requires an NVR.',
  },
  ONVIF_LOGIN_REFUSED: { kind: 'peer-refused', message: 'The camera requires another login.' },
  ONVIF_STREAM_MISSING: { kind: 'peer-refused', message: 'The camera reports no RTSP stream over ONVIF.' },
  NVR_FILTER_EMPTY: { kind: 'invalid-input', message: 'No NVR of the organization matches the filters.' },
  PROXIMITY_TAG_NOT_FOUND: { kind: 'not-found', message: 'There is no proximity tag with this UUID.' },
  PROXIMITY_TAG_IMAGE_INVALID: {
    kind: 'invalid-input',
    message: 'The image URL of a tag must begin with http:// or https://.',
  },
  PTZ_WITHOUT_ONVIF: {
    kind: 'conflict',
    message:
      'The gateway knows no ONVIF service of this camera. Set onvif in the configuration file, or add the camera over ONVIF.',
  },
  PTZ_MOVE_INCOMPLETE: { kind: 'invalid-input', message: 'A move of a camera needs an axis and an end.' },
  PTZ_MOVE_REPLACED: {
    kind: 'conflict',
    message: 'A later move replaced this one before the camera got it.',
  },
  PTZ_TOO_OFTEN: {
    kind: 'rate-limited',
    message: 'Too many calls for this camera. Wait before the next one; stopPtz is always possible.',
  },
  PTZ_BUSY: {
    kind: 'unavailable',
    message: 'The camera has not answered earlier calls yet. Try again in a few seconds.',
  },
  MASK_INVALID: {
    kind: 'invalid-input',
    message: 'A privacy mask needs 3 to 32 corners that are not all on one line.',
  },
  MASKS_NEED_WORKER: {
    kind: 'unavailable',
    message:
      'The camera has privacy masks, and this gateway may not run the worker that applies them. Raise ffmpeg.maxWorkers.',
  },
  PROBES_TOO_OFTEN: {
    kind: 'rate-limited',
    message: 'Too many addresses were tried within a minute. Wait before you try the next one.',
  },
  PROBES_BUSY: {
    kind: 'unavailable',
    message: 'All slots for trying cameras are in use. Try again in a few seconds.',
  },
});
