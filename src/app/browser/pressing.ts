let isHeld = false;

/** Whether a mouse button, a finger or Space holds something down now: it acts when it is let go. */
export const isPressing = (): boolean => isHeld;

/** Begins to notice what is held down. */
export const watchPresses = () => {
  const hold = () => {
    isHeld = true;
  };
  const letGo = () => {
    isHeld = false;
  };
  const on = <Name extends keyof WindowEventMap>(
    name: Name,
    then: (event: WindowEventMap[Name]) => void,
  ) => window.addEventListener(name, then, { capture: true, passive: true });
  on('pointerdown', ({ button }) => button === 0 && hold());
  on('pointerup', letGo);
  // A mouse that begins to drag holds on; a finger that begins to scroll does not.
  on('pointercancel', ({ pointerType }) => pointerType !== 'mouse' && letGo());
  on('dragend', letGo);
  on('keydown', ({ key }) => key === ' ' && hold());
  on('keyup', letGo);
  // Where it was let go outside of the window, nothing says so.
  on('blur', letGo);
  on('pointermove', ({ buttons }) => buttons === 0 && letGo());
};
