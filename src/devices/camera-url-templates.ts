/**
 * Where cameras of known vendors have their streams, for people who add one by its address. Firmwares differ, and most
 * cameras let their owner change the path: a template is a first guess, and probing the camera is the proof.
 *
 * `{channel}` counts from 1: the input of a recorder, or the lens of a camera with several; 1 for any other camera.
 * `{channel0}` is the same from 0, `{channel2}` with two digits. `{token}` is a text that the vendor's app shows.
 */

export interface CameraUrlTemplate {
  /** Stable; for programs. */
  readonly vendor: string;
  /** The name that people read. */
  readonly name: string;
  readonly scheme: 'rtsp' | 'rtsps';
  readonly port: number;
  /** The path, from the slash on. */
  readonly mainPath: string;
  /** null: the path is unknown, or the camera has no smaller stream. */
  readonly substreamPath: string | null;
  /** A note or a step to take first; null: none. */
  readonly note: string | null;
}

const RTSP = { scheme: 'rtsp', port: 554 } as const;

/** In the order of names; `generic` last. */
export const CAMERA_URL_TEMPLATES: readonly CameraUrlTemplate[] = [
  // Dahua's own format, of which Amcrest sells cameras. docs.frigate.video/configuration/camera_specific,
  // getrealtime.com/blog/how-to-find-your-ip-cameras-rtsp-url-hikvision-dahua-reolink-more
  {
    vendor: 'amcrest',
    name: 'Amcrest',
    ...RTSP,
    mainPath: '/cam/realmonitor?channel={channel}&subtype=0',
    substreamPath: '/cam/realmonitor?channel={channel}&subtype=1',
    note: null,
  },
  // VAPIX version 3, RTSP API (arguments `camera`, `resolution`, `videocodec`): manualsdump.com/en/manuals/
  // axis_communications-version_3/19604/31
  {
    vendor: 'axis',
    name: 'Axis',
    ...RTSP,
    mainPath: '/axis-media/media.amp?videocodec=h264&camera={channel}',
    substreamPath: '/axis-media/media.amp?videocodec=h264&camera={channel}&resolution=640x360',
    note: 'The camera makes each stream as the address asks. If 640x360 is refused, use a resolution that its settings list.',
  },
  // RTSP usage with Bosch VIP devices, §3.2.1, §3.2.9, §3.2.14: knowledge.keenfinity-group.com/video-systems/article/
  // how-is-rtsp-usage-supported-with-bosch-vip-devices
  {
    vendor: 'bosch',
    name: 'Bosch',
    ...RTSP,
    mainPath: '/rtsp_tunnel?h26x=4&line={channel}&inst=1',
    substreamPath: '/rtsp_tunnel?h26x=4&line={channel}&inst=2',
    note: 'h26x=4 asks for H.264. Turn on RTSP under Network, Network services, if the camera does not answer.',
  },
  // techage.com and blog.router-switch.com (“RTSP formats of hot brands”), both after Dahua's document
  {
    vendor: 'dahua',
    name: 'Dahua',
    ...RTSP,
    mainPath: '/cam/realmonitor?channel={channel}&subtype=0',
    substreamPath: '/cam/realmonitor?channel={channel}&subtype=1',
    note: null,
  },
  // Foscam HD models; reported by users of OpenCV and of recorders, with both ports
  {
    vendor: 'foscam',
    name: 'Foscam',
    scheme: 'rtsp',
    port: 88,
    mainPath: '/videoMain',
    substreamPath: '/videoSub',
    note: 'Newer models use port 554: look at the camera’s network settings.',
  },
  // SUNAPI profiles, as reported for Samsung and Hanwha models: profile1 is often Motion JPEG
  {
    vendor: 'hanwha',
    name: 'Hanwha (Wisenet, Samsung)',
    ...RTSP,
    mainPath: '/profile2/media.smp',
    substreamPath: '/profile3/media.smp',
    note: 'The camera’s video profiles decide which number is which. For lenses and inputs, put the number from 0 first: /{channel0}/profile2/media.smp.',
  },
  // Stream IDs are the channel and two digits for the stream: techage.com/blogs/news/what-is-the-url-format-for-rtsp-hikvision,
  // zwplayer.com/articles/device/ip-camera-rtsp-url-guide.html
  {
    vendor: 'hikvision',
    name: 'Hikvision (also Annke, HiLook, LTS)',
    ...RTSP,
    mainPath: '/Streaming/Channels/{channel}01',
    substreamPath: '/Streaming/Channels/{channel}02',
    note: null,
  },
  // support.reolink.com/hc/en-us/articles/900000630706: Preview_<channel>_<main or sub>
  {
    vendor: 'reolink',
    name: 'Reolink',
    ...RTSP,
    mainPath: '/Preview_{channel2}_main',
    substreamPath: '/Preview_{channel2}_sub',
    note: 'Turn on RTSP under Network, Advanced, Port settings. Old firmware has /h264Preview_{channel2}_main. Battery cameras have no RTSP.',
  },
  // actutana.com/video-streaming-what-is-rtsp-streaming (Tapo C200); the second stream as users of recorders report it
  {
    vendor: 'tapo',
    name: 'Tapo, TP-Link',
    ...RTSP,
    mainPath: '/stream1',
    substreamPath: '/stream2',
    note: 'Create a camera account in the app under Advanced settings: its user name and password are the ones to use here.',
  },
  // UniFi Protect shows rtsps://<console>:7441/<alias>?enableSrtp per quality; without SRTP the same path works
  {
    vendor: 'ubiquiti',
    name: 'Ubiquiti (UniFi Protect)',
    scheme: 'rtsps',
    port: 7_441,
    mainPath: '/{token}',
    substreamPath: '/{token}',
    note: 'Turn on RTSPS for the high and the low quality in UniFi Protect. Each shows an address: its last part, without ?enableSrtp, is the token. The host is the console, not the camera.',
  },
  // mofulls.pixnet.net/blog/post/351191279 (Uniview NVRs and cameras), blog.router-switch.com
  {
    vendor: 'uniview',
    name: 'Uniview',
    ...RTSP,
    mainPath: '/unicast/c{channel}/s0/live',
    substreamPath: '/unicast/c{channel}/s1/live',
    note: 'Some cameras have /media/video1 and /media/video2 instead.',
  },
  // IZ9361-EH user manual, §8.13: access names live<n>s<m>.sdp, manualsdir.com/manuals/864963
  {
    vendor: 'vivotek',
    name: 'Vivotek',
    ...RTSP,
    mainPath: '/live{channel}s1.sdp',
    substreamPath: '/live{channel}s2.sdp',
    note: 'Old firmware has /live.sdp and /live2.sdp. The camera’s settings show the access names under Network, Streaming protocols.',
  },
  {
    vendor: 'generic',
    name: 'Other',
    ...RTSP,
    mainPath: '/stream1',
    substreamPath: '/stream2',
    note: 'Look for RTSP in the camera’s manual or settings. If it has ONVIF, let the gateway ask it for its addresses.',
  },
];
