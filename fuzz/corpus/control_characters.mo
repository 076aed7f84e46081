model M "]0;title" Real '[31mx'(start = 1, unit = "m"); equation der('[31mx') = -'[31mx' + y; end M;
