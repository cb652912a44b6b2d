import { useEffect, useRef, useState } from 'preact/hooks';

export const Palette = (_: object) => {
  void useEffect;
  void useRef;
  const [text] = useState('');
  return <p>{text}</p>;
};
