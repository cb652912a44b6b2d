// Texts of ours that the executable carries.
declare module '*.yaml' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: so the bundler has it
  export default text;
}

declare module '*.md' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: so the bundler has it
  export default text;
}

declare module '*.svg' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: so the bundler has it
  export default text;
}

declare module '*.css' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: so the bundler has it
  export default text;
}

// Files of ours that the executable carries; what is imported is their path.
declare module '*.zst' {
  const path: string;
  // biome-ignore lint/style/noDefaultExport: so the bundler has it
  export default path;
}
