/** The name by which sites know this service; `product` is its token in robots.txt. */
export const USER_AGENT = { product: 'Darkroom', header: 'Darkroom/2' } as const;
