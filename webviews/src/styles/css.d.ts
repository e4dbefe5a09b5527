// Style sheets are bundled by import.
declare module '*.css';
