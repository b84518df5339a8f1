/** A device's report about itself (devices/device-report.ts): its fields, and how states and records show them. */

import type { TSchema } from 'typebox';
import type { DeviceReport } from '../../devices/device-report.ts';
import { deviceFacetUuid, flag, int32, int64, listOf, text } from '../../http/fields/field-types.ts';

const MAX_ADDRESSES = 64;
const MAX_FACETS = 104;
const MAX_URI_LENGTH = 2_048;

const address = text('Address.');

/** Fields of states. */
export const REPORTED_STATE_FIELDS = {
  defaultInterface: text('The network interface it uses.'),
  defaultInterfaceMac: text('The MAC address of that interface.'),
  externalIPAddress: text('Its public address.'),
  lanAddresses: listOf(address, 'Its addresses on the local network.', MAX_ADDRESSES),
  secondaryLanAddresses: listOf(address, 'Its addresses on a second network.', MAX_ADDRESSES),
  firmwareVersion: text('Its firmware version.'),
  firmwareUpdateInProgress: flag('True while it installs another version.'),
  hwVariation: text('The code of its hardware model.'),
  mediaRegion: text('The region that stores its media.'),
  region: text('The region that serves it.'),
  mediaStorageDeviceUuid: deviceFacetUuid('The device that stores its media.'),
  ssid: text('The Wi-Fi network that it uses.'),
  wifiApMac: text('The MAC address of the access point.'),
  wifiBars: int32('Its Wi-Fi signal, in bars.', 0, 10),
  wifiSignalStrength: int32('Its Wi-Fi signal strength, dBm.'),
};

/** Fields of full states only. */
export const REPORTED_FULL_STATE_FIELDS = {
  afSupport: flag('True if it has autofocus.'),
  baseVideoOperationUri: text('The URI for operations on its video.', MAX_URI_LENGTH),
  latestFirmwareVersion: text('The newest firmware available for it.'),
  maxZoomPercent: int32('How far it zooms, percent.', 0),
  versionsBehind: int32('How many releases its firmware is behind.', 0),
};

/** Fields of records only. */
export const REPORTED_RECORD_FIELDS = {
  archiveRegion: text('The region that stores its archive.'),
  cameraFramerate: int32('Frames per second.', 0),
};

/** Fields of NVRs only. */
export const REPORTED_NVR_FIELDS = {
  numThirdPartyCamerasSupported: int32('How many third-party cameras it supports.', 0),
  primaryLinkSpeedMbps: int32('Speed of its first link, Mbit/s.', 0),
  secondaryLinkSpeedMbps: int32('Speed of its second link, Mbit/s.', 0),
  totalStreamingPixels: int64('Pixels of all streams that it can handle together.', 0),
};

/** `serialNumber` and `supportedFacets` are used if the gateway itself does not know them. */
export const REPORTED_FIELDS = {
  ...REPORTED_STATE_FIELDS,
  ...REPORTED_FULL_STATE_FIELDS,
  ...REPORTED_RECORD_FIELDS,
  ...REPORTED_NVR_FIELDS,
  serialNumber: text('Its serial number, for cameras.'),
  supportedFacets: listOf(text('Facet.', 8), 'Its facets, such as `v0` and `a0`.', MAX_FACETS),
} satisfies Record<keyof DeviceReport, TSchema>;
