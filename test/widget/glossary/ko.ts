// Korean.
import type { Glossary } from '../glossary.ts';

export default {
  address:
    'No pronoun; statements in -습니다, requests in -해 주세요, prohibitions in -지 마세요. Buttons: a noun of action (복사) or, ' +
    'where there is none, -기 (열기).',
  say: {
    wallet: '전자지갑',
    walletApp: '전자지갑 앱',
    walletWebsite: '전자지갑 웹사이트',
    walletId: '전자지갑 ID',
    payment: '결제',
    paymentService: '결제 서비스',
    order: '주문',
    shop: '상점',
    amount: '금액',
    code: '코드',
    image: '이미지',
    device: '기기',
    request: '요청',
    confirm: '승인',
    logIn: '로그인',
    website: '웹사이트',
    connection: '연결',
    method: '결제 수단',
    anotherWay: '다른 결제 수단',
    tryAgain: '다시 시도',
    chargedTwice: '이중으로 출금되지 않습니다',
    payTwice: '이중으로 결제됩니다',
    noMoney: '출금된 금액은 없습니다',
    countsIfPaid: '그 결제는 유효합니다',
  },
  never: {
    '(?<!전자)지갑': 'a purse',
    '결제 방법|다른 방법': 'payment pages say 결제 수단',
    '결제 페이지': 'English says the wallet’s website',
    청구: 'a bill; here money leaves the wallet',
    대체: 'a calque of “replaced”',
  },
} satisfies Glossary;
