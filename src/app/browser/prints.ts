/** Prints the page, or saves it as a PDF, as the browser asks. */
export const startPrints = (button: HTMLElement) => button.addEventListener('click', () => print());
