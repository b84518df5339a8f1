/** The camera that a gateway without one shows, as src/app/stages/demo.ts derives its UUID. */
export const DEMO_CAMERA_UUID = 'dxwg8hGHVxOmbZArC0Rm6w';
